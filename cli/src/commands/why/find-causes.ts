import { conditionsOf, isConditionTrue } from "@kedge/machinery";
import type { Cause } from "./cause.ts";
import { behindBudget, isBudget } from "./causes/budget.ts";
import { claimCauses } from "./causes/claim.ts";
import { operatorCauses, ownWords } from "./causes/custom.ts";
import { deletionCauses } from "./causes/deletion.ts";
import { causesOfNode } from "./causes/node.ts";
import { podCauses } from "./causes/pod.ts";
import { behindService } from "./causes/service.ts";
import { workloadCauses } from "./causes/workload.ts";
import type { AnyObject, Situation } from "./situation.ts";

const workloads = new Set(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob"]);

/**
 * Follows an object to what holds it up: first what it says of itself that no child could explain (refused, paused, not
 * allowed to create), then its children, theirs, and in the end its own words.
 */
export function findCauses(
  object: AnyObject,
  situation: Situation,
  seen = new Set<string>(),
): readonly Cause[] {
  const { uid = "", name, deletionTimestamp } = object.metadata;
  if (seen.has(uid)) return [];
  seen.add(uid);
  if (deletionTimestamp !== undefined) return deletionCauses(object, situation);
  const builtin = ofBuiltin(object, situation);
  if (builtin !== undefined) return builtin;
  if (object.kind === "Node" && object.apiVersion === "v1") return causesOfNode(name, situation);
  if (object.kind === "Job" && isConditionTrue(conditionsOf(object), "Complete")) return [];
  const own = ownCauses(object, situation);
  if (own.length > 0) return own;
  const behind = podsBehind(object, situation);
  // A Service that it owns has nobody behind it because of something else.
  const owned = situation.childrenOf(object).filter(({ kind }) => kind !== "Service");
  const children = [...newestOf(owned), ...(behind?.pods ?? [])];
  const below = children.flatMap((child) => findCauses(child, situation, seen));
  return below.length > 0 ? below : (behind?.causes ?? ownWords(object, situation));
}

/** The pods that an object is about without owning them, and what is wrong when these explain nothing. */
function podsBehind(object: AnyObject, situation: Situation): ReturnType<typeof behindService> | undefined {
  if (isBudget(object)) return behindBudget(object, situation);
  return object.kind === "Service" ? behindService(object, situation) : undefined;
}

function ownCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  if (workloads.has(object.kind)) return workloadCauses(object, situation);
  return isCustom(object) ? operatorCauses(object, situation) : [];
}

/** Of a group that is not Kubernetes' own: looked after by an operator. */
function isCustom({ apiVersion }: AnyObject): boolean {
  const [group = ""] = apiVersion.split("/");
  return group.includes(".") && !group.endsWith(".k8s.io");
}

function ofBuiltin(object: AnyObject, situation: Situation): readonly Cause[] | undefined {
  const { pods, claims } = situation.facts;
  const is = ({ metadata }: { readonly metadata: { readonly uid?: string | undefined } }): boolean =>
    metadata.uid === object.metadata.uid;
  const pod = object.kind === "Pod" ? pods.find(is) : undefined;
  if (pod !== undefined) return podCauses(pod, situation);
  const claim = object.kind === "PersistentVolumeClaim" ? claims.find(is) : undefined;
  return claim === undefined ? undefined : claimCauses(claim, situation);
}

/** Of ReplicaSets only the newest: the others are history. */
function newestOf(children: readonly AnyObject[]): readonly AnyObject[] {
  const sets = children.filter(({ kind }) => kind === "ReplicaSet").toSorted(byRevision);
  return children.filter((child) => child.kind !== "ReplicaSet" || child === sets[0]);
}

function byRevision(a: AnyObject, b: AnyObject): number {
  return revisionOf(b) - revisionOf(a);
}

function revisionOf({ metadata }: AnyObject): number {
  return Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
}
