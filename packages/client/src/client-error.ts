import { CodedError } from "@kedge/machinery";

/**
 * What went wrong between us and the API server. An answer of the server, whatever it says, is a `StatusError` of
 * machinery instead.
 */
export type ClientErrorCode =
  /** A kubeconfig, an environment variable or a mounted file is missing or wrong. */
  | "CONFIG"
  /** An exec plugin failed or answered nonsense. */
  | "EXEC_PLUGIN"
  /** Nobody listens there, or the name does not resolve. The request was not sent. */
  | "UNREACHABLE"
  /** TLS: certificate, authority or name do not fit. The request was not sent. */
  | "CERTIFICATE"
  /** The connection broke while the request or its answer was under way. */
  | "CONNECTION_LOST"
  /** The deadline passed. */
  | "DEADLINE"
  /** The caller's signal was aborted. */
  | "ABORTED"
  /** The server's answer is not what the protocol allows. */
  | "PROTOCOL"
  /** More was sent than the caller is ready to take. */
  | "TOO_LARGE"
  /** The call itself makes no sense; nothing was sent. */
  | "USAGE";

/** The one error class of this package. `hint` says what the user can do. */
export class ClientError extends CodedError<ClientErrorCode, string | undefined> {
  override readonly name = "ClientError";

  constructor(code: ClientErrorCode, message: string, options: { cause?: unknown; hint?: string } = {}) {
    super(code, message, { ...options, hint: options.hint });
  }
}
