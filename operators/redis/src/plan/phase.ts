import {
  explainPods,
  refusalText,
  type PhaseReport,
  type PodTrouble,
  type ReportFacts,
} from "@kedge/runtime";
import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { RedisPhase } from "../kind.ts";
import type { Observed } from "../observe.ts";
import { creationTrouble } from "./creation-trouble.ts";
import { deletionStep } from "./deletion.ts";
import { planReplication } from "./replication/plan-replication.ts";
import { replicationFacts } from "./replication-facts.ts";
import { rolloutOf } from "./rollout.ts";
import { serverWords } from "./server-words.ts";

/** What `spec.suspend` means, for people. */
export const suspendedMessage =
  "The operator changes nothing, and repairs nothing, while spec.suspend is true.";

/** What is to be said of an instance. */
export type InstanceReport = PhaseReport<RedisPhase>;

/** What the phase depends on. */
export type PhaseFacts = ReportFacts<Observed>;

/** The phase of an instance: Terminated before Failed before Updating before Pending before Running. */
export function phaseOf({ observed, refusals, failure }: PhaseFacts): InstanceReport {
  const { instance, statefulSet } = observed;
  if (instance.metadata.deletionTimestamp !== undefined) return terminated(observed);
  if (failure !== undefined) return notReady("Failed", failure.reason, failure.message);
  const cannotStart = refusals.length > 0 && (statefulSet === undefined || observed.password === "unusable");
  if (cannotStart) return notReady("Failed", "SpecRefused", refusalText(refusals));
  if (statefulSet === undefined) return absent(observed);
  if (instance.spec.hibernate === true && (statefulSet.spec?.replicas ?? 1) === 0)
    return asleep(observed, statefulSet);
  const { trouble: replication } = planReplication(replicationFacts(observed));
  if (replication?.reason === "PrimaryHeld")
    return notReady("Failed", replication.reason, replication.message);
  const { wanted, ready, isNew, isRolling, isSettled } = rolloutOf(statefulSet, observed.pods);
  if (isNew && !wasUp(observed))
    return notReady("Creating", "ChildrenCreated", "The children have been made.");
  const count = `${ready} of ${wanted} pods ${wanted === 1 ? "is" : "are"} ready`;
  if (isSettled) return { phase: "Running", ready: true, reason: "AllPodsReady", message: `${count}.` };
  const trouble = troubleOf(observed);
  const message = trouble === undefined ? `${count}.` : `${count}: ${trouble.message}`;
  const say = (phase: RedisPhase, reason: string): InstanceReport => ({
    ...notReady(phase, trouble?.isWarning === true ? trouble.reason : reason, message),
    trouble,
  });
  if (isRolling) return say("Updating", "RollingUpdate");
  if (isUpdating(observed)) return say("Updating", "SpecChanged");
  return say("Pending", ready === 0 ? "NoPodReady" : "SomePodsNotReady");
}

function troubleOf(observed: Observed): PodTrouble | undefined {
  const ofPods = explainPods(observed.pods, observed.claims, { lastWords: serverWords });
  return ofPods?.isWarning === true ? ofPods : (creationTrouble(observed) ?? ofPods);
}

function terminated(observed: Observed): InstanceReport {
  const { stage, waitsFor } = deletionStep(observed);
  if (observed.instance.spec.deletionPolicy === "Retain") {
    const waiting = stage === "done" ? "" : ` Waiting for ${waitsFor}.`;
    return notReady("Terminated", "Deleting", `Being deleted. The volumes are kept.${waiting}`);
  }
  const step = {
    "stopping pods": `Its pods are stopped, then its volumes go. Waiting for ${waitsFor}.`,
    "deleting volumes": `Its volumes are deleted. Waiting for ${waitsFor}.`,
    done: observed.isNameTaken
      ? "Volumes that may be somebody else's are left alone."
      : "Its volumes are gone.",
  }[stage];
  return notReady("Terminated", "Deleting", `Being deleted. ${step}`);
}

function asleep({ pods }: Observed, statefulSet: DeepReadonly<StatefulSet>): InstanceReport {
  const left = statefulSet.status?.replicas ?? 0;
  return rolloutOf(statefulSet, pods).isSettled
    ? notReady("Hibernated", "Hibernated", "There are no pods, as spec.hibernate says. The volumes are kept.")
    : notReady(
        "Updating",
        "Hibernating",
        `Its pods are being stopped, as spec.hibernate says: ${left} left.`,
      );
}

function absent({ instance, pods }: Observed): InstanceReport {
  if (instance.spec.suspend === true) return notReady("Pending", "Suspended", suspendedMessage);
  if (pods.some((pod) => pod.metadata.deletionTimestamp === undefined)) {
    const message = `The StatefulSet ${instance.metadata.name} is made again; its pods stay as they are.`;
    return notReady("Updating", "StatefulSetMissing", message);
  }
  return instance.status?.status === undefined || instance.status.status === "Creating"
    ? notReady("Creating", "ChildrenMissing", "The children are being made.")
    : notReady("Failed", "ChildMissing", `The StatefulSet ${instance.metadata.name} is missing.`);
}

/** From a change of the spec until all is as it should be; a pod that fails by itself is no update. */
function isUpdating({ instance }: Observed): boolean {
  const { status, metadata } = instance;
  if (status?.status === "Updating") return true;
  const wasSettled = status?.status === "Running" || status?.status === "Hibernated";
  return wasSettled && status.observedGeneration !== metadata.generation;
}

function wasUp({ instance }: Observed): boolean {
  const phase = instance.status?.status;
  return phase === "Running" || phase === "Updating";
}

function notReady(phase: RedisPhase, reason: string, message: string): InstanceReport {
  return { phase, ready: false, reason, message };
}
