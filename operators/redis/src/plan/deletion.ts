import { controllerOf, type DeepReadonly } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { deleteChild } from "@kedge/runtime";
import { configHashAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import type { InstancePlan } from "./types.ts";

/**
 * What is owned goes by itself when the instance has gone. Pods of a StatefulSet that was being made again are nobody's,
 * and deleted here. Claims are nobody's, too: they are kept, or, when the user chose so, deleted after all that could
 * write to them or make new ones, and the instance waits until they are gone for good.
 */
export function planDeletion(observed: Observed): InstancePlan {
  const step = deletionStep(observed);
  return { actions: step.actions, release: step.stage === "done" };
}

/** Where a deletion has come to. */
export interface DeletionStep {
  readonly stage: "stopping pods" | "deleting volumes" | "done";
  readonly actions: InstancePlan["actions"];
  /** Whom it waits for. */
  readonly waitsFor: string;
}

/** The next step of a deletion. Everything observed is the server's newest. */
export function deletionStep(observed: Observed): DeletionStep {
  const { instance, statefulSet, isNameTaken, pods, claims, unlabelledClaims } = observed;
  const done = { stage: "done", actions: [], waitsFor: "" } as const;
  if (isNameTaken) return done;
  const orphans = deleteOrphans(observed);
  if (instance.spec.deletionPolicy === "Retain") {
    if (statefulSet === undefined || !isLeavingPods(statefulSet)) return { ...done, actions: orphans };
    return { ...done, stage: "stopping pods", waitsFor: `the StatefulSet ${statefulSet.metadata.name}` };
  }
  if (statefulSet !== undefined) {
    const waitsFor = `the StatefulSet ${statefulSet.metadata.name}`;
    // When the StatefulSet is gone, only the labels tell whose they were.
    const labels = unlabelledClaims.map((claim) => ({ type: "label claim", claim }) as const);
    return { stage: "stopping pods", actions: [...labels, ...stopping(statefulSet)], waitsFor };
  }
  const [pod] = pods;
  if (pod !== undefined)
    return { stage: "stopping pods", actions: orphans, waitsFor: `pod ${pod.metadata.name}` };
  const [claim] = claims;
  if (claim === undefined) return done;
  return {
    stage: "deleting volumes",
    actions: claims
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => deleteChild(PersistentVolumeClaim, metadata)),
    waitsFor: `claim ${claim.metadata.name}`,
  };
}

/**
 * First it is to have no pods. When its controller says that it has seen this, it never makes a claim again: had the set
 * been deleted at once, a controller that has not heard of it yet could still make some.
 */
function stopping({ metadata, spec, status }: DeepReadonly<StatefulSet>): InstancePlan["actions"] {
  const { name, uid, generation = 0, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return [];
  if (spec?.replicas !== 0) return [{ type: "stop pods", name, uid }];
  const isSeen = (status?.observedGeneration ?? 0) >= generation && (status?.replicas ?? 0) === 0;
  // In the foreground: it is there until its pods are gone, and then nobody writes to the volumes.
  return isSeen ? [deleteChild(StatefulSet, metadata, { propagation: "Foreground" })] : [];
}

/** It is being deleted without its pods: when it is gone they are there, and nobody's. */
function isLeavingPods({ metadata }: DeepReadonly<StatefulSet>): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes("orphan");
}

/** Pods that a StatefulSet of ours has made, by its template and name, and has left. */
function deleteOrphans({ instance, statefulSet, pods }: Observed): InstancePlan["actions"] {
  if (statefulSet !== undefined) return [];
  const prefix = `${instance.metadata.name}-`;
  return pods
    .filter(
      (pod) =>
        controllerOf(pod) === undefined &&
        pod.metadata.deletionTimestamp === undefined &&
        pod.metadata.annotations?.[configHashAnnotation] !== undefined &&
        pod.metadata.name.startsWith(prefix) &&
        /^\d+$/u.test(pod.metadata.name.slice(prefix.length)),
    )
    .map(({ metadata }) => deleteChild(Pod, metadata));
}
