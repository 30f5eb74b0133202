import type { ApiHeaders, Clock } from "@kedge/machinery";
import type { Resource, User } from "../registry/types.ts";
import { headerOf } from "./header.ts";
import type { Form } from "./negotiate.ts";
import type { Pause } from "./pause.ts";

/** A request for a resource that is served, understood as far as its path goes. */
export interface ResourceRequest {
  readonly resource: Resource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for all namespaces, and for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  readonly user: User;
  readonly query: URLSearchParams;
  readonly headers: ApiHeaders;
  readonly body: Uint8Array;
  /** In which form the answer is wanted. */
  readonly form: Form;
  /** The time that ages in the answer are counted to. */
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Throws a 403 unless the sender may create: asked when a replacement or an apply finds nothing to change. */
  readonly checkCreate: () => void;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
  readonly pause: Pause;
  /** Adds to what the audit log tells of the request; absent when it tells nothing. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** Is told of the object in the body, when it has been read. */
  readonly onObject?: ((object: unknown) => void) | undefined;
}

/** One header of the request. */
export function header(request: Pick<ResourceRequest, "headers">, name: string): string {
  return headerOf(request.headers, name);
}
