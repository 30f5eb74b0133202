import { deepEqual } from "@kedge/machinery";
import { findVolumes } from "../volumes/find-volumes.ts";
import { claimNamesOf, podClaimsOf } from "../volumes/pod-claims.ts";
import type { Filter } from "./types.ts";

const plugin = "VolumeBinding";

/** Nodes from which the pod's volumes cannot be used, or where those it still needs cannot be had. */
export const volumeBinding: Filter = {
  name: plugin,
  prepare({ pod, volumes }) {
    if (claimNamesOf(pod).length === 0) return undefined;
    const claims = podClaimsOf(pod, volumes);
    if ("rejected" in claims) return claims;
    return {
      check(node) {
        const found = findVolumes(claims, node, volumes);
        return "reasons" in found ? { plugin, reasons: found.reasons, isLasting: true } : undefined;
      },
    };
  },
  events: [
    "class-added",
    "class-changed",
    "claim-added",
    "claim-changed",
    "volume-added",
    "volume-changed",
    "node-added",
    "node-changed",
  ],
  mayHelp(event, waiting) {
    switch (event.type) {
      case "claim-added":
      case "claim-changed": {
        const { namespace, name } = event.claim.metadata;
        return (
          namespace === waiting.namespace && claimNamesOf(waiting.pod).some((each) => each.name === name)
        );
      }
      case "class-changed":
        return !deepEqual(event.storageClass.allowedTopologies, event.previous?.allowedTopologies);
      case "node-changed":
        return event.changed.has("labels");
      default:
        return true;
    }
  },
};
