import type { Refusal } from "@kedge/runtime";
import type { DeepReadonly } from "@kedge/machinery";
import type { RedisInstance } from "../kind.ts";
import { authRefusals } from "./auth-rules.ts";
import { metricsRefusals, podRefusals } from "./pod-rules.ts";
import { replicaRefusals } from "./replica-rules.ts";
import { persistenceRefusals, serverRefusals } from "./server-rules.ts";
import { userRefusals } from "./user-rules.ts";
import { smallVolumeRefusals } from "./volume-rules.ts";

/**
 * All that is wrong with a spec by itself, whatever there is in the cluster. Each rule is a pure function, written once:
 * a plan asks the one that concerns it and keeps what is refused as it was; whoever decides about an object before it is
 * stored asks here.
 */
export function specRefusals({ metadata, spec }: DeepReadonly<RedisInstance>): readonly Refusal[] {
  return [
    ...authRefusals(metadata.name, spec),
    ...serverRefusals(spec),
    ...persistenceRefusals(spec),
    ...replicaRefusals(spec),
    ...smallVolumeRefusals(spec.storage),
    ...podRefusals(spec.podMetadata),
    ...metricsRefusals(spec),
    ...userRefusals(spec.users),
  ];
}
