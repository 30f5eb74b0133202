import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { deleteChild } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { answering, isAnswering, type AnsweringServer, type ServerView } from "../server-view.ts";
import { isDiskFailing } from "./disk-trouble.ts";
import { isInSync, targetOf } from "./replication/admissions.ts";
import { currentRevision } from "./roll.ts";
import { ordinalOf, templateStorage, type StoragePlan } from "./storage.ts";
import type { InstancePlan } from "./types.ts";

/** What is done about volumes that others are to take the place of. */
export interface MovePlan {
  readonly actions: InstancePlan["actions"];
  /** Only the primary's is left: it hands over first. */
  readonly handsOver: boolean;
  /** Milliseconds after which to look again: nothing tells when a server has written its data down. */
  readonly again?: number;
}

/** What a move is decided on. */
export type MoveFacts = Pick<Observed, "servers" | "statefulSet" | "replication"> & {
  /** How many pods there are to be. */
  readonly wanted: number;
};

/**
 * Replaces volumes one at a time, replicas first: a claim is deleted, and its pod with it, while everybody else is ready,
 * in sync and has its data on its disk, which is proof that all it has is elsewhere. The StatefulSet then makes both again
 * by its template, and the server takes all data from the primary. A claim that an earlier run has deleted is gone on with.
 */
export function planMove(facts: MoveFacts, { storage, outdated }: StoragePlan): MovePlan {
  const { servers, statefulSet, replication, wanted } = facts;
  const revision = currentRevision(statefulSet);
  const head = servers.find(({ pod }) => pod === replication?.primary);
  if (outdated.length === 0 || revision === undefined || !isAnswering(head)) return nothing;
  // Put to sleep, nobody could take the data from anybody.
  if (wanted < 2) return nothing;
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
    !isWriting(server) &&
    (server === head ? isServing(server, replication?.epoch) : isInSync(server, head));
  const due = outdated.flatMap((claim) => {
    const server = servers.find(({ ordinal }) => ordinal === ordinalOf(claim));
    return server === undefined ? [] : [{ claim, server }];
  });
  const next = due.findLast(({ server }) => server !== head);
  const others = servers.filter((other) => other !== next?.server);
  const waiting = answering(others).some(isWriting) ? { ...nothing, again: writingMs } : nothing;
  if (!others.every(isSafe)) return waiting;
  if (next === undefined) return { actions: [], handsOver: due.length > 0 };
  const { claim, server } = next;
  return {
    actions: [
      {
        type: "check copies",
        epoch: replication?.epoch ?? 0,
        primary: targetOf(head),
        replicas: answering(others).flatMap((other) => (other === head ? [] : [targetOf(other)])),
      },
      ...(claim.metadata.deletionTimestamp === undefined
        ? [deleteChild(PersistentVolumeClaim, claim.metadata)]
        : []),
      { type: "stop pod", pod: server.pod, uid: server.uid },
    ],
    handsOver: false,
  };
}

const nothing: MovePlan = { actions: [], handsOver: false };

const writingMs = 1000;

/**
 * A server that was sent all data has them in its memory alone until its append-only file is made anew: one that ends
 * before that starts with nothing.
 */
function isWriting({ answer }: AnsweringServer): boolean {
  return answer.facts.persistence.isRewriting;
}

function isServing({ answer: { facts, record } }: AnsweringServer, epoch: number | undefined): boolean {
  return facts.role === "primary" && !facts.isLoading && record.isAdmitted && record.epoch === epoch;
}
