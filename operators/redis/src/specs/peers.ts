import type { ApplyObject } from "@kedge/client";
import type { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { labelsOf, namesOf } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** What a pod cannot know by itself, and must not be replaced for when it changes. */
export interface Peers {
  /** How many pods there are, or were and still have a volume. */
  readonly replicas: number;
  /** How many pods there are to be. */
  readonly wanted: number;
  /** Whether there may be data: a primary that has none then asks its peers before it serves. */
  readonly initialized: boolean;
  /** By the name of a file: what servers that start with a config are to have beyond it. */
  readonly overlays?: Readonly<Record<string, string>>;
}

/** The ConfigMap that tells servers of their peers while they run. */
export function peersOf(
  { namespace, name }: InstanceKey,
  { replicas, wanted, initialized, overlays = {} }: Peers,
): ApplyObject<ConfigMap> {
  return {
    metadata: { namespace, name: namesOf(name).peers, labels: labelsOf(name) },
    data: {
      replicas: String(replicas),
      wanted: String(wanted),
      initialized: String(initialized),
      ...Object.fromEntries(Object.entries(overlays).filter(([, lines]) => lines !== "")),
    },
  };
}
