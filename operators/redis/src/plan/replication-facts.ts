import { saysMinReplicas } from "../config/durability.ts";
import type { Observed } from "../observe.ts";
import { promoteAnnotation, switchoverAnnotation } from "../names.ts";
import { planMove } from "./move-storage.ts";
import { isInitialized } from "./peers.ts";
import { planReplicas } from "./replicas.ts";
import type { ReplicationFacts } from "./replication/types.ts";
import { currentRevision } from "./roll.ts";
import { planStorage } from "./storage.ts";

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
    givesVolumeUp: givesVolumeUp(observed),
    now: observed.now,
  };
}

function givesVolumeUp(observed: Observed): boolean {
  const { storage, replicas } = observed.instance.spec;
  const { pods = 0 } = planReplicas(observed, replicas);
  return planMove({ ...observed, wanted: pods }, planStorage({ storage, replicas }, observed)).handsOver;
}
