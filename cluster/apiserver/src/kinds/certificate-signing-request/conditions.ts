import { formatTime } from "@kedge/machinery";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";

/** A condition of a request. */
export type RequestCondition = NonNullable<
  NonNullable<Decoded<CertificateSigningRequest>["status"]>["conditions"]
>[number];

/** The conditions of a request. */
export function conditionsOf(object: StoredApiObject): readonly RequestCondition[] {
  return decodedAs(CertificateSigningRequest, object).status?.conditions ?? [];
}

/** Who signs does not change whether it is approved: those conditions are as they were, in place. */
export function keepApprovals(object: ApiObject, previous: StoredApiObject): void {
  const { status } = decodedAs(CertificateSigningRequest, object);
  if (status?.conditions === undefined) return;
  for (const type of ["Approved", "Denied"]) {
    const before = conditionsOf(previous).filter((condition) => condition.type === type);
    const now = status.conditions.filter((condition) => condition.type === type);
    if (now.length !== before.length) continue;
    let next = 0;
    status.conditions = status.conditions.map((condition) =>
      condition.type === type ? (before[next++] ?? condition) : condition,
    );
  }
}

/** Conditions without times get them. */
export function stampConditions(object: ApiObject, previous: StoredApiObject, now: number): void {
  const { status } = decodedAs(CertificateSigningRequest, object);
  if (status?.conditions === undefined) return;
  const time = formatTime(now);
  status.conditions = status.conditions.map((condition) => {
    const before = conditionsOf(previous).find(
      (each) => each.type === condition.type && each.status === condition.status,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? time,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? time,
    };
  });
}
