import { clone, type DeepReadonly } from "@kedge/machinery";
import type { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";

type Request = DeepReadonly<CertificateSigningRequest>;

/** Whether a request has a condition. */
export function hasCondition({ status }: Request, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type);
}

/** Whether somebody has approved or denied a request. */
export function isDecided(request: Request): boolean {
  return hasCondition(request, "Approved") || hasCondition(request, "Denied");
}

/** What is asked for, in PEM. */
export function pemOf({ spec }: Request): string {
  return Buffer.from(spec.request, "base64").toString("latin1");
}

/** A copy that can be written, without managedFields: the server keeps its own. */
export function writable(request: Request): CertificateSigningRequest {
  const copy: CertificateSigningRequest = clone(request);
  return { ...copy, metadata: { ...copy.metadata, managedFields: undefined } };
}

/** A copy with one more condition, which holds. */
export function withCondition(
  request: Request,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
): CertificateSigningRequest {
  const copy = writable(request);
  const conditions = [...(copy.status?.conditions ?? []), { ...condition, status: "True" }];
  return { ...copy, status: { ...copy.status, conditions } };
}
