import { sumOf, wholeReplicas, type PodAmounts } from "./amounts.ts";
import { groupPods, type PodView } from "./group-pods.ts";
import { requestOf } from "./requests.ts";
import { isTolerated, type Tolerances } from "./tolerances.ts";

/** A target, and the pods that are to meet it together. */
export interface PodsTarget extends PodView {
  readonly amounts: PodAmounts;
  readonly replicas: number;
  readonly tolerances: Tolerances;
  /** Empty for what is not a resource. */
  readonly resource: string;
}

/** What a number of pods would be right, and what they use on average, in thousandths. */
export interface ByPods {
  readonly replicas: number;
  readonly average: bigint;
}

/** How many pods bring the average down, or up, to a value. Throws when that cannot be said. */
export function replicasByAverage(pods: PodsTarget, target: bigint): ByPods {
  return replicasByRatio(pods, {
    ratioOf: (values) => {
      const average = sumOf(values.values()) / BigInt(values.size);
      return { ratio: Number(average) / Number(target), average };
    },
    whenLow: () => target,
  });
}

/** How many pods bring their use to so many percent of what they ask for. Throws when that cannot be said. */
export function replicasByUtilization(
  pods: PodsTarget,
  target: number,
  container: string | undefined,
): ByPods & { readonly utilization: number } {
  let requests: ReadonlyMap<string, bigint> | undefined;
  const requestsOf = (): ReadonlyMap<string, bigint> =>
    (requests ??= new Map(
      pods.pods.map((pod) => [pod.metadata.name, requestOf(pod, pods.resource, container)]),
    ));
  let utilization: number | undefined;
  const found = replicasByRatio(pods, {
    ratioOf: (values) => {
      const use = utilizationOf(values, requestsOf());
      // The first time it is of what was really measured.
      utilization ??= use.percent;
      return { ratio: use.percent / target, average: use.average };
    },
    whenLow: (name) => ((requestsOf().get(name) ?? 0n) * BigInt(Math.max(100, target))) / 100n,
  });
  return { ...found, utilization: utilization ?? 0 };
}

type Values = ReadonlyMap<string, bigint>;

function utilizationOf(
  values: Values,
  requests: ReadonlyMap<string, bigint>,
): { readonly percent: number; readonly average: bigint } {
  const known = [...values].filter(([name]) => requests.has(name));
  const used = sumOf(known.map(([, value]) => value));
  const requested = sumOf(known.map(([name]) => requests.get(name) ?? 0n));
  if (requested === 0n) throw new Error("no metrics returned matched known pods");
  return { percent: Number((used * 100n) / requested), average: used / BigInt(known.length) };
}

interface Measure {
  readonly ratioOf: (values: Values) => { readonly ratio: number; readonly average: bigint };
  /** What a pod of which nothing was measured is taken to use when the others use too little. */
  readonly whenLow: (name: string) => bigint;
}

/**
 * Pods that are missing or not ready are taken to use what argues against a change. A change that they would turn round
 * is none.
 */
function replicasByRatio(pods: PodsTarget, { ratioOf, whenLow }: Measure): ByPods {
  if (pods.pods.length === 0) throw new Error(noPods);
  const { amounts, replicas, tolerances, resource } = pods;
  const { readyCount, unready, missing, ignored } = groupPods(pods, amounts, resource);
  const values = new Map([...amounts].map(([name, { value }]) => [name, value]));
  for (const name of [...ignored, ...unready]) values.delete(name);
  if (values.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  const { ratio, average } = ratioOf(values);
  const growsWithUnready = unready.length > 0 && ratio > 1;
  if (!growsWithUnready && missing.length === 0) {
    const isEnough = isTolerated(tolerances, ratio);
    return { replicas: isEnough ? replicas : wholeReplicas(ratio * readyCount), average };
  }
  for (const name of ratio === 1 ? [] : missing) values.set(name, ratio < 1 ? whenLow(name) : 0n);
  for (const name of growsWithUnready ? unready : []) values.set(name, 0n);
  const { ratio: filled } = ratioOf(values);
  const wanted = wholeReplicas(filled * values.size);
  const turnsRound =
    (ratio < 1 && filled > 1) ||
    (ratio > 1 && filled < 1) ||
    (filled < 1 && wanted > replicas) ||
    (filled > 1 && wanted < replicas);
  return { replicas: isTolerated(tolerances, filled) || turnsRound ? replicas : wanted, average };
}

/** What is said when a target has no pods. */
export const noPods = "no pods returned by selector while calculating replica count";
