import { quantityOf } from "../values/quantity.ts";
import { claimEvaluator } from "./claim-evaluator.ts";
import { podEvaluator } from "./pod-evaluator.ts";
import { resourceClaimEvaluator } from "./resource-claim-evaluator.ts";
import { serviceEvaluator } from "./service-evaluator.ts";
import type { Evaluator } from "./types.ts";

/** How objects of a resource are counted; undefined for those that are not (events, and what is never stored). */
export function evaluatorOf({ group, plural }: ResourceName): Evaluator | undefined {
  const name = resourceText({ group, plural });
  if (ignored.has(name)) return undefined;
  return particular.get(name) ?? countEvaluator(name);
}

interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** The resource that a name in a quota counts, when it counts objects: `count/jobs.batch`, `configmaps`. */
export function countedResource(name: string): ResourceName | undefined {
  if (aliases.has(name)) return { group: "", plural: name };
  if (!name.startsWith("count/")) return undefined;
  const [plural = "", ...group] = name.slice("count/".length).split(".");
  return { group: group.join("."), plural };
}

/** The resources that are counted by more than their number. */
export const particularResources: readonly ResourceName[] = [
  { group: "", plural: "pods" },
  { group: "", plural: "services" },
  { group: "", plural: "persistentvolumeclaims" },
  { group: "resource.k8s.io", plural: "resourceclaims" },
];

const particular: ReadonlyMap<string, Evaluator> = new Map([
  ["pods", podEvaluator],
  ["services", serviceEvaluator],
  ["persistentvolumeclaims", claimEvaluator],
  ["resourceclaims.resource.k8s.io", resourceClaimEvaluator],
]);

/** Kinds whose number also goes by their bare name. */
const aliases: ReadonlySet<string> = new Set([
  "configmaps",
  "resourcequotas",
  "replicationcontrollers",
  "secrets",
]);

const ignored: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

function resourceText({ group, plural }: ResourceName): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function countEvaluator(resource: string): Evaluator {
  const counted = aliases.has(resource) ? [`count/${resource}`, resource] : [`count/${resource}`];
  const usage = new Map(counted.map((name) => [name, quantityOf(1)]));
  return {
    matching: (names) => names.filter((name) => usage.has(name)),
    usage: () => usage,
    isInScope: () => false,
    constraint: () => undefined,
    updates: false,
  };
}
