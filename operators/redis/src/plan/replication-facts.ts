import { saysMinReplicas } from "../config/durability.ts";
import type { Observed } from "../observe.ts";
import { promoteAnnotation, switchoverAnnotation } from "../names.ts";
import { isInitialized } from "./peers.ts";
import type { ReplicationFacts } from "./replication/types.ts";
import { currentRevision } from "./roll.ts";

/** What is decided on about replication, of all that was observed. */
export function replicationFacts(observed: Observed): ReplicationFacts {
  const { instance, servers, statefulSet } = observed;
  const { namespace, name, annotations } = instance.metadata;
  return {
    instance: { namespace, name },
    wanted: instance.spec.replicas,
    isNew: !isInitialized(observed),
    status: observed.replication,
    servers,
    durability: instance.spec.durability,
    isGuardOurs: instance.spec.durability !== "strict" && !saysMinReplicas(instance.spec.config),
    revision: currentRevision(statefulSet),
    switchover: annotations?.[switchoverAnnotation],
    promote: annotations?.[promoteAnnotation],
    now: observed.now,
  };
}
