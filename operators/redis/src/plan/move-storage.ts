import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { deleteChild } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { isAnswering, type AnsweringServer, type ServerView } from "../server-view.ts";
import { isDiskFailing } from "./disk-trouble.ts";
import { isInSync } from "./replication/admissions.ts";
import { currentRevision } from "./roll.ts";
import { ordinalOf, templateStorage, type StoragePlan } from "./storage.ts";
import type { InstancePlan } from "./types.ts";

/** What is done about volumes that others are to take the place of. */
export interface MovePlan {
  readonly actions: InstancePlan["actions"];
  /** Only the primary's is left: it hands over first. */
  readonly handsOver: boolean;
}

/** What a move is decided on. */
export type MoveFacts = Pick<Observed, "servers" | "statefulSet" | "replication"> & {
  /** How many pods there are to be. */
  readonly wanted: number;
};

/**
 * Replaces volumes one at a time, replicas first: a claim is deleted, and its pod with it, while everybody else is ready
 * and in sync, which is proof that all it has is elsewhere. The StatefulSet then makes both again by its template, and the
 * server takes all data from the primary. A claim that an earlier run has deleted is gone on with.
 */
export function planMove(facts: MoveFacts, { storage, outdated }: StoragePlan): MovePlan {
  const { servers, statefulSet, replication, wanted } = facts;
  const revision = currentRevision(statefulSet);
  const head = servers.find(({ pod }) => pod === replication?.primary);
  if (outdated.length === 0 || revision === undefined || !isAnswering(head)) return nothing;
  if (servers.length < wanted || servers.some(({ isDeleting }) => isDeleting)) return nothing;
  // Until it is made again, pods would get the same volumes.
  const made =
    statefulSet?.metadata.deletionTimestamp === undefined ? templateStorage(statefulSet) : undefined;
  if (made?.size !== storage?.size || made?.storageClassName !== storage?.storageClassName) return nothing;
  const isSafe = (server: ServerView): boolean =>
    server.isReady &&
    isAnswering(server) &&
    server.revision === revision &&
    !isDiskFailing(server) &&
    (server === head ? isServing(server, replication?.epoch) : isInSync(server, head));
  const due = outdated.flatMap((claim) => {
    const server = servers.find(({ ordinal }) => ordinal === ordinalOf(claim));
    return server === undefined ? [] : [{ claim, server }];
  });
  const next = due.findLast(({ server }) => server !== head);
  if (next === undefined) return { actions: [], handsOver: due.length > 0 && servers.every(isSafe) };
  const { claim, server } = next;
  if (!servers.every((other) => other === server || isSafe(other))) return nothing;
  return {
    actions: [
      ...(claim.metadata.deletionTimestamp === undefined
        ? [deleteChild(PersistentVolumeClaim, claim.metadata)]
        : []),
      { type: "stop pod", pod: server.pod, uid: server.uid },
    ],
    handsOver: false,
  };
}

const nothing: MovePlan = { actions: [], handsOver: false };

function isServing({ answer: { facts, record } }: AnsweringServer, epoch: number | undefined): boolean {
  return facts.role === "primary" && !facts.isLoading && record.isAdmitted && record.epoch === epoch;
}
