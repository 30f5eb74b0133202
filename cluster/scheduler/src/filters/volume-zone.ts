import { deepEqual, labelOf } from "@kedge/machinery";
import { claimNamesOf } from "../volumes/pod-claims.ts";
import type { Volume } from "../volumes/volume-catalog.ts";
import { obstacle, type Filter } from "./types.ts";

const plugin = "VolumeZone";
const elsewhere = obstacle(plugin, "node(s) had no available volume zone", "lasting");

/** The labels that say where volumes and nodes are, each with the name that it has today. */
const topologyLabels: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["topology.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["topology.kubernetes.io/region", "topology.kubernetes.io/region"],
]);

/** Nodes in another zone or region than the labels of the pod's volumes say. */
export const volumeZone: Filter = {
  name: plugin,
  prepare({ pod, volumes }) {
    const places: Place[] = [];
    for (const { name, isEphemeral } of claimNamesOf(pod)) {
      const bound = isEphemeral ? undefined : volumes.claim(pod.metadata.namespace, name)?.spec?.volumeName;
      if (bound === undefined || bound === "") continue;
      const volume = volumes.volume(bound);
      if (volume === undefined) return { rejected: `persistentvolume "${bound}" not found` };
      places.push(...placesOf(volume));
    }
    if (places.length === 0) return undefined;
    return {
      check({ labels }) {
        if (!topologyLabels.keys().some((key) => labelOf(labels, key) !== undefined)) return undefined;
        const isThere = places.every(({ key, values }) => {
          const value = labelOf(labels, key) ?? labelOf(labels, topologyLabels.get(key) ?? key);
          return value !== undefined && values.includes(value);
        });
        return isThere ? undefined : elsewhere;
      },
    };
  },
  events: [
    "class-added",
    "node-added",
    "node-changed",
    "claim-added",
    "claim-changed",
    "volume-added",
    "volume-changed",
  ],
  mayHelp(event, waiting) {
    switch (event.type) {
      case "class-added":
        return event.storageClass.volumeBindingMode === "WaitForFirstConsumer";
      case "claim-added":
      case "claim-changed": {
        const { namespace, name } = event.claim.metadata;
        return waiting.claims.includes(`${namespace}/${name}`);
      }
      case "volume-changed":
        return event.previous === undefined || !deepEqual(placesOf(event.volume), placesOf(event.previous));
      case "node-changed":
        return event.changed.has("labels");
      default:
        return true;
    }
  },
};

interface Place {
  readonly key: string;
  readonly values: readonly string[];
}

/** A volume may be in several zones: `a__b`. */
function placesOf({ metadata }: Volume): readonly Place[] {
  return [...topologyLabels.keys()].flatMap((key) => {
    const value = labelOf(metadata.labels ?? {}, key);
    const values = value?.split("__").map((each) => each.trim()) ?? [];
    return values.length === 0 || values.includes("") ? [] : [{ key, values }];
  });
}
