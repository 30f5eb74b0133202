import { ifFound } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { isFinished } from "../job/ending.ts";
import { timeLeft } from "./time-left.ts";

/** Deletes jobs when they have been finished for as long as they say. */
export function ttlAfterFinishedController(): Controller {
  return defineController({
    name: "ttl-after-finished-controller",
    for: Job,
    // When it finishes, its status changes.
    when: (job) => isFinished(job),
    reconcile,
  });
}

async function reconcile({
  object,
  key,
  client,
  clock,
}: ReconcileContext<Job>): Promise<ReconcileResult | undefined> {
  const left = object === undefined ? undefined : timeLeft(object, clock.now());
  if (object === undefined || left === undefined) return undefined;
  if (left > 0) return { requeueAfter: left };
  // Before it is too late: somebody may have given it more time that the cache does not show yet.
  const { namespace } = object.metadata;
  const newest = await ifFound(client.of(Job).get({ namespace, name: key.name }));
  const newestLeft = newest === undefined ? undefined : timeLeft(newest, clock.now());
  if (newest === undefined || newestLeft === undefined) return undefined;
  if (newestLeft > 0) return { requeueAfter: newestLeft };
  const preconditions = { uid: newest.metadata.uid };
  await ifFound(client.of(Job).delete(newest.metadata, { preconditions, propagation: "Foreground" }));
  return undefined;
}
