import type { ApplyObject } from "@kedge/client";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import { labelsOf, namesOf, redisPort } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

const port = { name: "redis", port: redisPort, targetPort: "redis", protocol: "TCP" };

/**
 * The Service that clients use. It reaches the primary alone: the pod with ordinal 0, by the label that the StatefulSet
 * controller sets, so that it is right also while no operator runs. Failover will need a label that can move.
 */
export function serviceOf({ namespace, name }: InstanceKey): ApplyObject<Service> {
  const { service, primaryPod } = namesOf(name);
  return {
    metadata: { namespace, name: service, labels: labelsOf(name) },
    spec: {
      type: "ClusterIP",
      selector: { ...labelsOf(name), "statefulset.kubernetes.io/pod-name": primaryPod },
      ports: [port],
    },
  };
}

/** The Service that gives each pod a name. Peers look for each other before they are ready. */
export function headlessServiceOf({ namespace, name }: InstanceKey): ApplyObject<Service> {
  return {
    metadata: { namespace, name: namesOf(name).headlessService, labels: labelsOf(name) },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: labelsOf(name),
      ports: [port],
    },
  };
}
