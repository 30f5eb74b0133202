import type { DeepReadonly } from "@kedge/machinery";
import type { RedisInstance, ReplicationStatus } from "./kind.ts";
import { namesOf } from "./names.ts";

/** Who is the primary, as the status of an instance says it. One that says nothing of it has its first pod as such. */
export type Replication = DeepReadonly<Partial<ReplicationStatus> & Pick<ReplicationStatus, "primary">>;

/** Reads it from an instance. */
export function replicationOf({
  metadata,
  status,
}: DeepReadonly<Pick<RedisInstance, "metadata" | "status">>): Replication {
  return status?.replication ?? { primary: namesOf(metadata.name).primaryPod };
}
