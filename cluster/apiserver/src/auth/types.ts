import type { ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";

/**
 * Who sends a request, by its headers (bearer tokens). Undefined: it has no credentials of this kind. `refused`: it has
 * some that nobody has issued.
 */
export type Authenticator = (headers: ApiHeaders) => Promise<User | "refused" | undefined>;

/** What somebody wants to do. */
export interface Attributes {
  readonly user: User;
  readonly verb: string;
  /** Set for requests of resources; for others `path` counts. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly path: string;
}

/** Whether somebody may; `reason` is added to the refusal that they read. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Decides who may do what. */
export type Authorizer = (attributes: Attributes) => Promise<Decision> | Decision;
