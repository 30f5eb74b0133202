import type { ApiHandler } from "@kedge/machinery";

/** An API server to play against, whichever door leads to it. */
export interface Server {
  /** Requests of an admin, who may do everything and act as anybody (`impersonate-user` and so on). */
  readonly send: ApiHandler;
  /** Requests that carry no credentials but those in their headers. */
  readonly sendAnonymous: ApiHandler;
}
