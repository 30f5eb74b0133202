import { controllerOf, ifFound, parseApiVersion, type DeepReadonly } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  byController,
  defineController,
  watches,
  type Controller,
  type ReconcileContext,
} from "@kedge/runtime";
import { dropFinalizer } from "./act.ts";
import { isManagedElsewhere } from "./controller.ts";
import { isFinished } from "./ending.ts";
import { isTracked } from "./job-pod.ts";

/** Frees pods that nobody counts any more, because their job is gone, over, or not theirs any longer. */
export function jobOrphanController(): Controller {
  return defineController({
    name: "job-orphan-controller",
    for: Pod,
    when: (pod) => isTracked(pod),
    watches: [
      watches(Job, (job, _previous, { informers }) =>
        informers
          .of(Pod)
          .byIndex(byController, job.metadata.uid)
          .filter(isTracked)
          .map(({ metadata }) => metadata),
      ),
    ],
    reconcile: async (context) => {
      const { object: pod } = context;
      if (pod !== undefined && isTracked(pod) && (await isOrphan(context, pod)))
        await dropFinalizer(context, pod);
      return undefined;
    },
  });
}

async function isOrphan(context: ReconcileContext<Pod>, pod: DeepReadonly<Pod>): Promise<boolean> {
  const owner = controllerOf(pod);
  if (owner === undefined) return true;
  if (owner.kind !== Job.kind || parseApiVersion(owner.apiVersion).group !== Job.group) return false;
  const key = { namespace: pod.metadata.namespace, name: owner.name };
  const isOf = (job: DeepReadonly<Job> | undefined): job is DeepReadonly<Job> =>
    job?.metadata.uid === owner.uid;
  const cached = context.read(Job).get(key);
  // Not seen is not gone: the server is asked.
  const job = isOf(cached) ? cached : await ifFound(context.client.of(Job).get(key));
  return !isOf(job) || (isFinished(job) && !isManagedElsewhere(job));
}
