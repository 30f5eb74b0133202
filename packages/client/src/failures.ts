import { DeadlineError, messageOf } from "@kedge/machinery";
import { ClientError, type ClientErrorCode } from "./client-error.ts";

/** How far an exchange had come when it failed: it decides whether the server may have seen the request. */
export type Phase = "connect" | "exchange";

/** Turns whatever a socket, TLS or HTTP layer threw into a `ClientError`. */
export function transportFailure(error: unknown, where: string, phase: Phase): ClientError {
  if (error instanceof ClientError) return error;
  const code = systemCode(error);
  if (isCertificateCode(code)) return certificateFailure(error, where, code);
  const notSent = phase === "connect" || refusedByPeer.has(code);
  const kind: ClientErrorCode = notSent ? "UNREACHABLE" : "CONNECTION_LOST";
  const what = notSent ? `cannot reach ${where}` : `connection to ${where} was lost`;
  const hint = notSent ? unreachableHint(code) : undefined;
  return new ClientError(kind, `${what}: ${messageOf(error)}`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}

/** Turns an aborted signal's reason into a `ClientError`: DEADLINE when a deadline passed, else ABORTED. */
export function abortFailure(signal: AbortSignal, what: string): ClientError {
  const reason: unknown = signal.reason;
  if (reason instanceof ClientError) return reason;
  if (reason instanceof DeadlineError) {
    return new ClientError("DEADLINE", `${what}: no complete answer within ${reason.ms} ms`, {
      cause: reason,
    });
  }
  return new ClientError("ABORTED", `${what}: aborted by the caller`, { cause: reason });
}

/** HTTP/2 says so when a stream was not processed: the request is as good as never sent. */
const refusedByPeer = new Set([
  "NGHTTP2_REFUSED_STREAM",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
]);

const certificateCodes = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_OSSL_X509_KEY_VALUES_MISMATCH",
]);

function isCertificateCode(code: string): boolean {
  return certificateCodes.has(code) || (code.startsWith("ERR_SSL_") && code.includes("CERT"));
}

function certificateFailure(error: unknown, where: string, code: string): ClientError {
  const ours = code.startsWith("ERR_SSL_") || code.startsWith("ERR_OSSL_");
  return new ClientError("CERTIFICATE", `TLS with ${where} failed: ${messageOf(error)} (${code})`, {
    cause: error,
    hint: ours
      ? "the server did not accept the client certificate: check client-certificate and client-key"
      : code === "ERR_TLS_CERT_ALTNAME_INVALID"
        ? "the certificate is for another name: set tls-server-name if that name is meant"
        : "the server's certificate is not signed by the certificate-authority of the kubeconfig",
  });
}

function unreachableHint(code: string): string | undefined {
  if (code === "ECONNREFUSED")
    return "nothing listens there: is the API server running, and is the port right?";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "the host name does not resolve: check the server's URL";
  return undefined;
}

function systemCode(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") {
    // HTTP/2 stream errors carry the interesting name in the text only.
    const refused = error instanceof Error && error.message.includes("NGHTTP2_REFUSED_STREAM");
    return refused ? "NGHTTP2_REFUSED_STREAM" : error.code;
  }
  return "";
}
