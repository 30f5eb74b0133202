import { goQuote, validateQualifiedName } from "@kedge/machinery";
import type { StoredApiObject } from "../../registry/types.ts";

/** Warnings about names of new finalizers that others might take too. */
export function finalizerWarnings(object: StoredApiObject, previous?: StoredApiObject): string[] {
  const known = new Set(previous?.metadata.finalizers ?? []);
  const added = new Set((object.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer)));
  return [...added].toSorted().flatMap((finalizer) => {
    const about = `metadata.finalizers: ${goQuote(finalizer)}: `;
    const wrong = validateQualifiedName(finalizer).map((detail) => `${about}${detail}`);
    if (finalizer.includes("/") || standard.has(finalizer)) return wrong;
    const name = finalizer.includes(".") ? "name including a path (/)" : "name";
    return [
      ...wrong,
      `${about}prefer a domain-qualified finalizer ${name} to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}

const standard: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
