import { fieldForbidden, fieldPath, type FieldError } from "@kedge/machinery";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { immutable, optionalOneOf } from "../validation/field-rules.ts";
import { priorityClassPrinter } from "./printer.ts";

/** PriorityClasses. Names that begin with `system-` are the server's own. */
export function priorityClassDefinition(): KindDefinition {
  return {
    kind: PriorityClass,
    printer: priorityClassPrinter,
    strategy: { validate, validateUpdate, generation: () => false },
  };
}

/** The classes that every cluster has, by name. */
export const systemClasses: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

function validate(object: StoredApiObject, previous?: StoredApiObject): FieldError[] {
  // Updates are checked by `validateUpdate` alone, as Kubernetes does.
  if (previous !== undefined) return [];
  const { metadata, value = 0, preemptionPolicy } = decodedAs(PriorityClass, object);
  const name = metadata?.name ?? "";
  return [
    ...(name.startsWith("system-") ? systemErrors(name, value) : userErrors(value)),
    ...optionalOneOf(preemptionPolicy, ["PreemptLowerPriority", "Never"], fieldPath("preemptionPolicy")),
  ];
}

function validateUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return [
    ...(object["value"] === previous["value"]
      ? []
      : [fieldForbidden("value", "may not be changed in an update.")]),
    ...immutable(object["preemptionPolicy"], previous["preemptionPolicy"], fieldPath("preemptionPolicy")),
  ];
}

function systemErrors(name: string, value: number): FieldError[] {
  const known = systemClasses.get(name);
  if (known === value) return [];
  const why =
    known === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${known}`;
  return [
    fieldForbidden(
      "metadata.name",
      `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`,
    ),
  ];
}

function userErrors(value: number): FieldError[] {
  if (value <= 1_000_000_000) return [];
  return [fieldForbidden("value", "maximum allowed value of a user defined priority is 1000000000")];
}
