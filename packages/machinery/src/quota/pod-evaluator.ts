import { quantityOf, quantitySign, type Quantity } from "../values/quantity.ts";
import { parseTime } from "../objects/time.ts";
import { validateQualifiedName } from "../objects/names.ts";
import { addAmounts, parseAmounts, type Amounts } from "./amounts.ts";
import { hasOwnResources, podAmounts, type CountedPod } from "./pod-amounts.ts";
import { scopeSelects } from "./scopes.ts";
import type { Evaluator, ScopeRequirement } from "./types.ts";

/** Counts pods, and what they ask for and are held to. */
export const podEvaluator: Evaluator = {
  matching: (names) =>
    names.filter(
      (name) => counted.has(name) || /^(requests\.)?hugepages-/u.test(name) || isExtendedQuota(name),
    ),
  usage: (pod: CountedPod, now) => {
    const all: Amounts = new Map([["count/pods", one]]);
    if (!isAlive(pod, now)) return all;
    return addAmounts(all, usageOf(podAmounts(pod, "requests"), podAmounts(pod, "limits")));
  },
  isInScope,
  constraint,
  updates: true,
};

const one = quantityOf(1);

const compute = ["cpu", "memory", "ephemeral-storage"];

const counted: ReadonlySet<string> = new Set([
  "count/pods",
  "pods",
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** What a pod must say when it is counted: older than classes of service, and kept. */
const demanded: readonly string[] = [
  "cpu",
  "limits.cpu",
  "limits.memory",
  "memory",
  "requests.cpu",
  "requests.memory",
];

function isExtendedQuota(name: string): boolean {
  const isNative = !name.includes("/") || name.includes("kubernetes.io/");
  return (
    name.startsWith("requests.") &&
    (!isNative || name.startsWith("requests.deviceclass.resource.kubernetes.io/"))
  );
}

function usageOf(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map<string, Quantity>([["pods", one]]);
  for (const name of compute) {
    const request = requests.get(name);
    const limit = limits.get(name);
    if (request !== undefined) usage.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith("hugepages-")) usage.set(name, request).set(`requests.${name}`, request);
    if (isExtended(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function isExtended(name: string): boolean {
  if (name.startsWith("deviceclass.resource.kubernetes.io/")) return true;
  if (!name.includes("/") || name.includes("kubernetes.io/") || name.startsWith("requests.")) return false;
  return validateQualifiedName(`requests.${name}`).length === 0;
}

/** Pods that have ended do not count, nor those that should be gone by now (their node may be lost). */
function isAlive({ metadata, status }: CountedPod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  if (typeof deletionTimestamp !== "string" || deletionGracePeriodSeconds === undefined) return true;
  return now <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function isInScope(pod: CountedPod, scope: ScopeRequirement): boolean {
  const { priorityClassName = "" } = pod.spec ?? {};
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return scopeSelects(scope, priorityClassName === "" ? [] : [priorityClassName]);
    case "CrossNamespacePodAffinity":
      return looksAtOtherNamespaces(pod);
    default:
      return false;
  }
}

/** Whether a pod ends by itself after a time: the scope `Terminating`. */
export function isTerminating({ spec }: CountedPod): boolean {
  return spec?.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0;
}

function isBestEffort({ spec }: CountedPod): boolean {
  const resources =
    spec?.resources === undefined
      ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((container) => container.resources)
      : [spec.resources];
  return !resources.some((each) =>
    [each?.requests, each?.limits].some((amounts) =>
      Array.from(parseAmounts(amounts)).some(
        ([name, amount]) => (name === "cpu" || name === "memory") && quantitySign(amount) > 0,
      ),
    ),
  );
}

function looksAtOtherNamespaces({ spec }: CountedPod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm = {} }) => podAffinityTerm,
    ),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

function constraint(pod: CountedPod, names: readonly string[]): string | undefined {
  if (hasOwnResources(pod)) return undefined;
  const needed = demanded.filter((name) => names.includes(name));
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const missing = needed.flatMap((resource) => {
    const without = [...containers, ...initContainers].filter(({ resources }) => {
      const usage = usageOf(parseAmounts(resources?.requests), parseAmounts(resources?.limits));
      return !usage.has(resource);
    });
    const ofThem = [...new Set(without.map(({ name = "" }) => name))].toSorted();
    return ofThem.length === 0 ? [] : [`${resource} for: ${ofThem.join(",")}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}
