import type { DeepReadonly } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { deleteChild } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import type { InstancePlan } from "./types.ts";

/**
 * What is owned goes by itself when the instance has gone. Claims are nobody's: they are kept, or, when the user chose
 * so, deleted after all that could write to them or make new ones, and the instance waits until they are gone for good.
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
  if (instance.spec.deletionPolicy === "Retain" || isNameTaken) return done;
  if (statefulSet !== undefined) {
    const waitsFor = `the StatefulSet ${statefulSet.metadata.name}`;
    // When the StatefulSet is gone, only the labels tell whose they were.
    const labels = unlabelledClaims.map((claim) => ({ type: "label claim", claim }) as const);
    return { stage: "stopping pods", actions: [...labels, ...stopping(statefulSet)], waitsFor };
  }
  const [pod] = pods;
  if (pod !== undefined) return { stage: "stopping pods", actions: [], waitsFor: `pod ${pod.metadata.name}` };
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
