import type { Scope } from "@kedge/machinery";
import { may, type Right } from "./rights.ts";
import type { ControllerOptions } from "./types.ts";

/**
 * What the runtime asks for on behalf of a controller: to watch all that it looks at, to write the status of its own
 * kind, and to make and change what it owns. What its `reconcile` asks for beside that, deletions above all, its author
 * says: `rights` of the operator.
 */
export function rightsOf<T, S extends Scope>(
  options: Pick<ControllerOptions<T, S>, "for" | "owns" | "watches">,
): readonly Right[] {
  const owned = (options.owns ?? []).map((entry) => ("plural" in entry ? entry : entry.kind));
  return [
    may(["list", "watch"], options.for),
    { ...may(["patch"], options.for), resource: `${options.for.plural}/status` },
    // Where owner references are checked (OwnerReferencesPermissionEnforcement), children may block their owner's
    // deletion only if we could do that ourselves.
    ...(owned.length === 0 ? [] : [may(["update"], options.for, "finalizers")]),
    ...owned.map((kind) => may(["create", "get", "list", "patch", "watch"], kind)),
    ...(options.watches ?? []).map(({ kind }) => may(["list", "watch"], kind)),
  ];
}
