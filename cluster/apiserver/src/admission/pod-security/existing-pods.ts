import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { lookUpAll } from "../../registry/lookup.ts";
import type { AdmissionContext } from "../types.ts";
import { evaluate, reasonsText } from "./evaluate.ts";
import { levelText, type LevelVersion } from "./policy.ts";

/** So many pods are looked at, at most. */
const mostPods = 3000;
/** Milliseconds for it, at most: less than what others would notice. */
const mostTime = 50;
/** The time is looked at after so many: a few pods are all looked at, however busy the machine is. */
const atOnce = 100;

/** Warns of the pods of a namespace that would not be let in at its new level. */
export function warnOfExistingPods(
  namespace: string,
  level: LevelVersion,
  { objects, clock, warn }: AdmissionContext,
): void {
  const pods = byImportance(lookUpAll(objects, Pod, namespace));
  const end = clock.monotonic() + mostTime;
  const found = new Map<string, string[]>();
  let looked = 0;
  for (const pod of pods.slice(0, mostPods)) {
    const reasons = reasonsText(evaluate(level, pod));
    const names = found.get(reasons) ?? [];
    names.push(pod.metadata?.name ?? "");
    if (reasons !== "") found.set(reasons, names);
    looked++;
    if (looked % atOnce === 0 && clock.monotonic() >= end) break;
  }
  if (looked < pods.length)
    warn(
      `new PodSecurity enforce level only checked against the first ${looked} of ${pods.length} existing pods`,
    );
  if (found.size === 0) return;
  warn(
    `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(level))}`,
  );
  const texts = Array.from(found, ([reasons, names]) => `${namesText(names)}: ${reasons}`);
  for (const text of texts.toSorted()) warn(text);
}

/** Of pods that one owner has made alike, the first comes before the others. */
function byImportance(pods: readonly Decoded<Pod>[]): readonly Decoded<Pod>[] {
  const owners = new Set<string>();
  const others: Decoded<Pod>[] = [];
  const first = pods.filter((pod) => {
    const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner === undefined) return true;
    if (owners.has(owner)) {
      others.push(pod);
      return false;
    }
    owners.add(owner);
    return true;
  });
  return [...first, ...others];
}

function namesText(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? "pod" : "pods"})`;
}
