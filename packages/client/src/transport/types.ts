import type { ApiRequest, ApiResponse, MessageStream, UpgradeRequest } from "@kedge/machinery";

/**
 * The way to one API server. Both implementations, network and in-process, pass `transport.conformance.ts`.
 * A transport moves bytes: it adds no deadline, retries nothing and does not look into bodies (it inflates gzip).
 */
export interface Transport {
  /**
   * Resolves when the answer's head is here. Rejects with a `ClientError`; a code of UNREACHABLE or CERTIFICATE
   * means that the server has not seen the request.
   */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Opens a message stream, or gives the answer with which the server refused it. */
  upgrade(request: UpgradeRequest): Promise<MessageStream | ApiResponse>;
  /** Closes idle connections at once and the others when their exchanges end. */
  close(): Promise<void>;
}
