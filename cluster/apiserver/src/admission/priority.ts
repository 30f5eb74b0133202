import { Pod } from "@kedge/machinery/kinds/core/v1";
import { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import { lookUp, lookUpAll } from "../registry/lookup.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { ApiObject, Objects, StoredApiObject } from "../registry/types.ts";
import { isAbout, refusal } from "./request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./types.ts";

/** Pods have the priority of their class, and at most one class is that of pods that name none. */
export const priority: AdmissionPlugin = {
  name: "Priority",
  operations: ["CREATE", "UPDATE"],
  admit: (request, { objects }) => {
    const { object, oldObject } = request;
    if (object === undefined || !isAbout(request, Pod)) return;
    if (oldObject === undefined) setPriority(request, object, objects);
    else keepPriority(object, oldObject);
  },
  validate: (request, { objects }) => {
    if (isAbout(request, PriorityClass)) checkOnlyDefault(request, objects);
  },
};

function keepPriority(object: ApiObject, oldObject: StoredApiObject): void {
  const spec = (decodedAs(Pod, object).spec ??= {});
  const before = decodedAs(Pod, oldObject).spec;
  spec.priority ??= before?.priority;
  spec.preemptionPolicy ??= before?.preemptionPolicy;
}

function setPriority(request: AdmissionRequest, object: ApiObject, objects: Objects): void {
  const spec = (decodedAs(Pod, object).spec ??= {});
  const named = spec.priorityClassName;
  const found =
    named === undefined
      ? defaultClass(lookUpAll(objects, PriorityClass))
      : lookUp(objects, PriorityClass, { name: named });
  if (named !== undefined && found === undefined)
    throw refusal(request, `no PriorityClass with name ${named} was found`);
  const value = found?.value ?? 0;
  const preemptionPolicy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (found?.metadata?.name !== undefined) spec.priorityClassName = found.metadata.name;
  if (spec.priority !== undefined && spec.priority !== value)
    throw refusal(
      request,
      `the integer value of priority (${spec.priority}) ${mustNot} ${value} ${fromClass}`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw refusal(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${mustNot} ${preemptionPolicy} ${fromClass}`,
    );
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

const mustNot = "must not be provided in pod spec; priority admission controller computed";
const fromClass = "from the given PriorityClass name";

/** Of several defaults, which only a race can make, the lowest. */
function defaultClass(classes: readonly Decoded<PriorityClass>[]): Decoded<PriorityClass> | undefined {
  return classes
    .filter((each) => each.globalDefault === true)
    .toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

function checkOnlyDefault(request: AdmissionRequest<StoredApiObject>, objects: Objects): void {
  const { object, oldObject, name } = request;
  if (object === undefined || decodedAs(PriorityClass, object).globalDefault !== true) return;
  const other = lookUpAll(objects, PriorityClass).find((each) => each.globalDefault === true)?.metadata?.name;
  if (other === undefined || (oldObject !== undefined && other === name)) return;
  throw refusal(request, `PriorityClass ${other} is already marked as default. Only one default can exist`);
}
