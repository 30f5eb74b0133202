import { fieldInvalid, fieldNotSupported, invalid, type FieldError, type JsonObject } from "@kedge/machinery";
import { dryRunErrors } from "./query.ts";

/** What becomes of the dependents of what is deleted. */
export const deletePolicies = ["Foreground", "Background", "Orphan"] as const;

/** Throws a 422 for DeleteOptions that cannot be followed, of a deletion or of an eviction. */
export function checkDeleteOptions(sent: Readonly<JsonObject>): void {
  const { propagationPolicy: policy, orphanDependents, dryRun } = sent;
  const errors: FieldError[] = [];
  if (typeof policy === "string" && !deletePolicies.some((known) => known === policy))
    errors.push(fieldNotSupported("propagationPolicy", policy, [...deletePolicies, "nil"]));
  if (typeof policy === "string" && typeof orphanDependents === "boolean") {
    errors.push(
      fieldInvalid(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  errors.push(...dryRunErrors(listOf(dryRun)));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

/** The texts of a list, but for empty ones. */
export function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String).filter((item) => item !== "") : [];
}
