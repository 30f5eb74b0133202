import { withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod, ReplicationController } from "@kedge/machinery/kinds/core/v1";
import { defineController, owns, watches, type Controller } from "@kedge/runtime";
import { adopters } from "../ownership/adopters.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { keepPods } from "./keep-pods.ts";

/** Keeps the pods of replication controllers: replica sets of an older kind, which select by labels alone. */
export function replicationControllerController(): Controller {
  return defineController({
    name: "replication-controller",
    reporter: "replication-controller",
    for: ReplicationController,
    owns: [owns(Pod, {})],
    watches: [
      watches(Pod, (pod, _previous, { informers }) => {
        const { namespace } = pod.metadata;
        return adopters(pod, informers.of(ReplicationController).list({ namespace }).map(asReplicaSet));
      }),
    ],
    reconcile: async (context) => {
      const { object: controller, client } = context;
      if (controller === undefined) return undefined;
      const owner = asReplicaSet(controller);
      return keepPods(context, {
        owner,
        read: () => client.of(ReplicationController).get(controller.metadata),
        newest: () => context.read(ReplicationController).get(controller.metadata),
        related: () => ownedPods(context, owner),
        writeStatus: (report) => {
          const { terminatingReplicas: _, ...status } = report;
          return writeStatusAsUpdate(client.of(ReplicationController).status, controller, status);
        },
      });
    },
  });
}

/** The same as a replica set would have it, but for its kind. */
function asReplicaSet(controller: DeepReadonly<ReplicationController>): DeepReadonly<ReplicaSet> {
  const { spec, ...rest } = withTypeMeta(ReplicationController, controller);
  return { ...rest, spec: { ...spec, selector: { matchLabels: spec.selector ?? {} } } };
}
