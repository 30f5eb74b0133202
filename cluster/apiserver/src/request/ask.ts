import type { ApiHeaders } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { Resource, User } from "../registry/types.ts";
import type { WriteScope } from "../write/scope.ts";
import { headerOf } from "./header.ts";
import type { Form } from "./negotiate.ts";
import type { Pause } from "./pause.ts";

/** A request for a resource that is served, understood as far as its path goes. */
export interface Ask {
  readonly core: Core;
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
  readonly form: Form;
  readonly signal: AbortSignal | undefined;
  /** Adds a `Warning` header. */
  readonly warn: (text: string) => void;
  readonly pause: Pause;
}

/** Who the asker is as a writer. */
export function scopeOf(ask: Ask, dryRun: boolean): WriteScope {
  const { core, resource, user, warn, pause } = ask;
  return { core, resource, user, dryRun, warn, pause };
}

/** One header of the request. */
export function header(ask: Pick<Ask, "headers">, name: string): string {
  return headerOf(ask.headers, name);
}
