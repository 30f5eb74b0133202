import { conditionsOf, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { ageText } from "../../../age-text.ts";
import { inNamespace, typed, type Cause } from "../cause.ts";

import { oneLine, type AnyObject, type Situation } from "../situation.ts";
import { evidenceOf, usersOf } from "./claim.ts";
import { nodeCauses } from "./node.ts";

/** Why an object that is being deleted is still there. */
export function deletionCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  if (object.kind === "Namespace") return namespaceCauses(object, situation);
  const ofPod = object.kind === "Pod" ? podCauses(object, situation) : [];
  if (ofPod.length > 0) return ofPod;
  return (object.metadata.finalizers ?? []).flatMap((finalizer) =>
    finalizerCauses(object, finalizer, situation),
  );
}

function podCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  const pod = situation.facts.pods.find(({ metadata }) => metadata.uid === object.metadata.uid);
  if (pod === undefined || pod.spec?.nodeName === undefined) return [];
  const gone = nodeCauses(pod.spec.nodeName, situation);
  if (gone.length > 0) {
    const force = `kubectl delete pod ${pod.metadata.name}${inNamespace(pod)} --force --grace-period=0`;
    return gone.map((cause) => ({
      ...cause,
      fix: `${cause.fix ?? ""}; if it is off for sure: ${force}`,
    }));
  }
  const volume = situation.warning(pod, "FailedUnmount", "FailedUnMount", "FailedDetachVolume");
  if (volume !== undefined)
    return [
      {
        about: object,
        says: `cannot let go of a volume: ${volume.message}`,
        evidence: [evidenceOf(volume)],
        fix: `on ${pod.spec.nodeName}, end what uses the volume`,
      },
    ];
  const running = runningContainers(pod);
  if (running.length === 0) return [];
  const grace = object.metadata.deletionGracePeriodSeconds ?? 30;
  // The time in the object is when the grace ends.
  const left = -situation.since(object.metadata.deletionTimestamp);
  const asked = ageText(grace - left);
  const says = `has not ended ${asked} after it was asked to (SIGTERM): ${running.join(", ")} still runs`;
  return [
    {
      about: object,
      says,
      evidence: [left > 0 ? `it is killed in ${ageText(left)}` : `its grace of ${grace} s is over`],
      fix: `handle SIGTERM in the program; now: kubectl delete pod ${pod.metadata.name}${inNamespace(pod)} --grace-period=1`,
    },
  ];
}

function runningContainers(pod: DeepReadonly<Pod>): readonly string[] {
  return (pod.status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name);
}

function finalizerCauses(object: AnyObject, finalizer: string, situation: Situation): readonly Cause[] {
  if (finalizer === "kubernetes.io/pvc-protection") {
    const users = usersOf(object, situation);
    if (users.length > 0)
      return [
        {
          about: object,
          says: `is still used by ${users.length === 1 ? "pod" : "pods"} ${users.slice(0, 3).join(", ")}`,
          fix: `kubectl delete pod ${users[0] ?? ""}${inNamespace(object)}`,
        },
      ];
  }
  if (finalizer === "foregroundDeletion" || finalizer === "foregroundDeletionPropagation") {
    const children = situation.childrenOf(object);
    const stuck = children.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    const deeper = stuck.flatMap((child) => deletionCauses(child, situation));
    if (deeper.length > 0) return deeper;
    const names = children.map(typed).slice(0, 3).join(", ");
    return [{ about: object, says: `waits for what it owns to go${names === "" ? "" : `: ${names}`}` }];
  }
  return [held(object, finalizer, situation)];
}

/** By a finalizer of somebody's. */
function held(object: AnyObject, finalizer: string, { facts }: Situation): Cause {
  const remove = `kubectl patch ${typed(object)}${inNamespace(object)} --type=json -p '[{"op":"remove","path":"/metadata/finalizers/${(object.metadata.finalizers ?? []).indexOf(finalizer)}"}]'`;
  if (facts.operatorsDown !== undefined && /^(redis\.github\.com|apps\.example\.com)\//u.test(finalizer))
    return {
      about: object,
      says: `waits for its operator to clean up, and no operator runs`,
      evidence: [`finalizer ${finalizer}`],
      fix: facts.operatorsDown,
    };
  const failed = conditionsOf(object).find(({ status, message }) => status === "False" && message !== "");
  return {
    about: object,
    says: `is held by the finalizer ${finalizer}: whoever set it has not taken it away`,
    evidence: failed === undefined ? [] : [`${failed.type}=False: ${oneLine(failed.message)}`],
    fix: `start its controller; or, leaving behind what it would clean up: ${remove}`,
  };
}

function namespaceCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  const { others, pods, claims } = situation.facts;
  const inside: readonly AnyObject[] = [...others, ...pods, ...claims];
  const stuck = inside.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const causes = stuck.flatMap((child) => deletionCauses(child, situation));
  if (causes.length > 0) return causes;
  return conditionsOf(object)
    .filter(({ type, status }) => status === "True" && /^(Namespace|Deletion)/iu.test(type))
    .filter(({ message }) => message !== "")
    .map(({ type, message }) => ({
      about: object,
      says: oneLine(message),
      evidence: [type],
      fix: `kubectl get namespace ${object.metadata.name} -o yaml`,
    }));
}
