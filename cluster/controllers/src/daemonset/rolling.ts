import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isAvailable, isTerminating } from "../pods/pod-state.ts";
import { limitsOf } from "./limits.ts";
import { fitOf } from "./nodes.ts";
import { isUpdated, podsByNode, type DaemonSetPlan, type DaemonSetView } from "./plan.ts";

type AnyPod = DeepReadonly<Pod>;

/** The next steps of an update: which old pods go, and which nodes get a second one. Every node has its pods already. */
export function planUpdate(view: DaemonSetView): Pick<DaemonSetPlan, "create" | "delete"> {
  const { set, nodes, pods } = view;
  if (set.spec.updateStrategy?.type !== "RollingUpdate") return { create: [], delete: [] };
  const wanted = nodes.filter((node) => fitOf(set, node).shouldRun).map(({ metadata }) => metadata.name);
  const byNode = podsByNode(pods);
  const places = [...new Set([...byNode.keys(), ...wanted])].map((node) =>
    placeOf(view, node, byNode.get(node) ?? []),
  );
  const limits = limitsOf(set, wanted.length);
  if (limits.surge === 0) return { create: [], delete: replacing(places, limits.unavailable) };
  return surging(places, new Set(wanted), limits.surge);
}

/** A node in an update. */
interface Place {
  readonly node: string;
  /** More than one old or new pod: the set is put in order before it is updated. */
  readonly isCrowded: boolean;
  readonly old: AnyPod | undefined;
  readonly new: AnyPod | undefined;
  readonly isOldAvailable: boolean;
  readonly isNewAvailable: boolean;
}

function placeOf(view: DaemonSetView, node: string, pods: readonly AnyPod[]): Place {
  const staying = pods.filter((pod) => !isTerminating(pod));
  const [updated, outdated] = [true, false].map((isSo) =>
    staying.filter((pod) => isUpdated(view, pod) === isSo),
  );
  const can = (pod: AnyPod | undefined): boolean =>
    pod !== undefined && isAvailable(pod, view.set.spec.minReadySeconds ?? 0, view.now);
  return {
    node,
    isCrowded: (updated?.length ?? 0) > 1 || (outdated?.length ?? 0) > 1,
    old: outdated?.[0],
    new: updated?.[0],
    isOldAvailable: can(outdated?.[0]),
    isNewAvailable: can(updated?.[0]),
  };
}

/** Old pods that go so that others take their place. Those that do not work go anyway. */
function replacing(places: readonly Place[], mostUnavailable: number): readonly AnyPod[] {
  const broken: AnyPod[] = [];
  const working: AnyPod[] = [];
  let unavailable = 0;
  for (const place of places) {
    const isOldAlone = !place.isCrowded && place.old !== undefined && place.new === undefined;
    const isNewAlone = !place.isCrowded && place.old === undefined && place.new !== undefined;
    if (isOldAlone && place.isOldAvailable && place.old !== undefined) working.push(place.old);
    else if (!(isNewAlone && place.isNewAvailable)) unavailable++;
    if (isOldAlone && !place.isOldAvailable && place.old !== undefined) broken.push(place.old);
  }
  return [...broken, ...working.slice(0, Math.max(0, mostUnavailable - unavailable))];
}

/** New pods beside old ones; an old one goes when its new one is available. */
function surging(
  places: readonly Place[],
  wanted: ReadonlySet<string>,
  most: number,
): Pick<DaemonSetPlan, "create" | "delete"> {
  const outdated = places.filter((place) => !place.isCrowded && place.old !== undefined);
  const alone = outdated.filter((place) => place.new === undefined);
  const both = outdated.filter((place) => place.new !== undefined);
  const available = places.filter((place) =>
    place.isCrowded ? false : place.old === undefined ? place.isNewAvailable : place.isOldAvailable,
  );
  const surge =
    places.filter(({ isCrowded }) => isCrowded).length + both.filter((place) => !place.isNewAvailable).length;
  const isWanted = ({ node }: Place): boolean => wanted.has(node);
  const [brokenAlone, workingAlone] = [
    alone.filter((place) => !place.isOldAvailable),
    alone.filter((place) => place.isOldAvailable),
  ];
  // A working pod on a node that is not meant any more goes only when there are enough others.
  const spare = Math.max(0, available.length - wanted.size);
  const going = [
    ...brokenAlone.filter((place) => !isWanted(place)),
    ...both.filter((place) => place.isNewAvailable),
    ...workingAlone.filter((place) => !isWanted(place)).slice(0, spare),
  ];
  const next = workingAlone.filter(isWanted).slice(0, Math.max(0, most - surge));
  return {
    create: [...brokenAlone.filter(isWanted), ...next].map(({ node }) => node),
    delete: going.flatMap(({ old }) => old ?? []),
  };
}
