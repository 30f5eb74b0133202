import type { ApiHeaders } from "@kedge/machinery";
import type { User } from "../registry/types.ts";

/**
 * Who sends a request, by its headers (bearer tokens). Undefined: it has no credentials of this kind. `refused`: it has
 * some that nobody has issued.
 */
export type Authenticator = (headers: ApiHeaders) => User | "refused" | undefined;

/** What somebody wants to do. */
export interface Attributes {
  readonly user: User;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; of a path its method: `get`. */
  readonly verb: string;
  /** Set for requests of resources; for others `path` counts. */
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    /** Empty for the object itself. */
    readonly subresource: string;
    /** Empty for all namespaces, and for cluster-scoped kinds. */
    readonly namespace: string;
    /** Empty for a collection, unless a field selector chooses one name of it. */
    readonly name: string;
    /** The field selector of a list or watch, as it was sent. Default: none. */
    readonly fieldSelector?: string;
  };
  /** That of the request, without its query; empty for what is asked beside it (`impersonate`). */
  readonly path: string;
}

/** Whether somebody may; `reason` is added to the refusal that they read. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

/** Decides who may do what, at once. Asked of every request, before anything is known of its object or its body. */
export type Authorizer = (attributes: Attributes) => Decision;
