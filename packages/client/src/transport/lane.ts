import type { ApiRequest, ApiResponse } from "@kedge/machinery";

/** Connections to one server with one client certificate, of one HTTP version. */
export interface Lane {
  /** False when no new exchange may start here. */
  readonly usable: boolean;
  /** Resolves when the server has said what it allows, or the connection has ended. */
  readonly known: Promise<void>;
  /** True when a new exchange would have to wait: another lane should be opened. */
  readonly full: boolean;
  /** Runs one exchange; `path` includes the base path of the server's URL. Rejects with a `ClientError`. */
  exchange(request: ApiRequest, path: string): Promise<ApiResponse>;
  /** No new exchanges; closes when the running ones have ended. */
  close(): void;
}
