import { requestEntityTooLarge, type ApiRequest, type Clock } from "@kedge/machinery";
import type { AuditTrail } from "../audit/auditor.ts";
import { builtinEncoder } from "../protobuf/index.ts";
import type { Resource, User } from "../registry/types.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { ResourceTarget } from "../request/target.ts";
import type { Call } from "./call.ts";

/** Bodies may have so many bytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** What a call asks of a resource. */
export interface Asked {
  readonly resource: Resource;
  readonly target: ResourceTarget;
  readonly user: User;
  readonly clock: Clock;
  /** Throws a 403 unless the user may create what the path names. */
  readonly checkCreate: () => void;
}

/** A call, as verbs take it. Throws a 413, or a 406. */
export function resourceRequestOf(
  call: Call,
  { resource, target, user, clock, checkCreate }: Asked,
): ResourceRequest {
  const { request, query, warnings } = call;
  const body = wholeBody(request);
  if (call.audit !== undefined) tellUndecoded(call.audit, target.verb, body);
  return {
    resource,
    subresource: target.subresource,
    namespace: target.plural === "namespaces" ? "" : target.namespace,
    name: target.name,
    user,
    query,
    headers: request.headers,
    body,
    form: call.form({
      watch: target.verb === "watch",
      streams: target.name === "" && request.method === "GET",
      transforms: resource.review === undefined ? "all" : "no tables",
      custom: resource.custom !== undefined || !builtinEncoder().knows(resource),
    }),
    clock,
    signal: request.signal,
    checkCreate,
    warn: (text) => warnings.add(text),
    pause: call.pause,
    ...(call.audit !== undefined && {
      onObject: (object: unknown) => call.audit?.sent(object),
      annotate: (key: string, value: string) => call.audit?.annotate(key, value),
    }),
  };
}

/** Tells of a body that is no object of its own: a patch as it was sent, the options of a deletion. */
function tellUndecoded(audit: AuditTrail, verb: string, body: Uint8Array): void {
  if (verb === "patch") audit.sentJson(body);
  if (verb !== "delete" && verb !== "deletecollection") return;
  const kind = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal" };
  audit.sentJson(body, (options) => ({ ...(typeof options === "object" && options), ...kind }));
}

/** The body of a request. Throws a 413. */
export function wholeBody(request: Partial<Pick<ApiRequest, "body">>): Uint8Array {
  const body = bodyOf(request.body);
  if (body.length > maxBodyBytes) throw requestEntityTooLarge(`limit is ${maxBodyBytes}`);
  return body;
}

function bodyOf(body: ApiRequest["body"]): Uint8Array {
  if (body === undefined) return new Uint8Array();
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
