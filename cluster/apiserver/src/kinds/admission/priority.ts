import { Pod } from "@kedge/machinery/kinds/core/v1";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import type { ApiObject, StoredApiObject, WriteContext } from "../../registry/types.ts";
import { sentAs, type Sent } from "../../registry/sent.ts";
import { podForbidden } from "./forbidden.ts";
import { lookUp, lookUpAll } from "../../registry/lookup.ts";

/** Gives a new pod the priority of its class, or of the class that is the default, and keeps it on updates. */
export function admitPriority(
  object: ApiObject,
  previous: StoredApiObject | undefined,
  { objects }: WriteContext,
): void {
  const pod = sentAs(Pod, object);
  const spec = (pod.spec ??= {});
  if (previous !== undefined) {
    const before = sentAs(Pod, previous).spec;
    spec.priority ??= before?.priority;
    spec.preemptionPolicy ??= before?.preemptionPolicy;
    return;
  }
  const named = spec.priorityClassName;
  const found =
    named === undefined
      ? defaultClass(lookUpAll(objects, PriorityClass))
      : lookUp(objects, PriorityClass, { name: named });
  if (named !== undefined && found === undefined)
    throw podForbidden(object, `no PriorityClass with name ${named} was found`);
  const priority = found?.value ?? 0;
  const preemptionPolicy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (found?.metadata?.name !== undefined) spec.priorityClassName = found.metadata.name;
  if (spec.priority !== undefined && spec.priority !== priority)
    throw podForbidden(
      object,
      `the integer value of priority (${spec.priority}) ${mustNot} ${priority} ${fromClass}`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw podForbidden(
      object,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${mustNot} ${preemptionPolicy} ${fromClass}`,
    );
  spec.priority = priority;
  spec.preemptionPolicy = preemptionPolicy;
}

const mustNot = "must not be provided in pod spec; priority admission controller computed";
const fromClass = "from the given PriorityClass name";

/** Of several defaults, which only a race can make, the lowest. */
function defaultClass(classes: readonly Sent<PriorityClass>[]): Sent<PriorityClass> | undefined {
  return classes
    .filter((each) => each.globalDefault === true)
    .toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}
