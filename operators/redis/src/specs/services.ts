import type { ApplyObject } from "@kedge/client";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import { labelsOf, namesOf, redisPort, roleLabel } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

const port = { name: "redis", port: redisPort, targetPort: "redis", protocol: "TCP" };

/**
 * The Service that clients use. It reaches the primary alone, by the label that the StatefulSet controller sets: so a
 * primary that is restarted is reached again also while no operator runs, and a failover moves it in one write.
 */
export function serviceOf({ namespace, name }: InstanceKey, primaryPod: string): ApplyObject<Service> {
  const { service } = namesOf(name);
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

/** The Service for those who only read: all replicas that are ready. */
export function replicasServiceOf({ namespace, name }: InstanceKey): ApplyObject<Service> {
  return {
    metadata: { namespace, name: namesOf(name).replicasService, labels: labelsOf(name) },
    spec: {
      type: "ClusterIP",
      selector: { ...labelsOf(name), [roleLabel]: "replica" },
      ports: [port],
    },
  };
}
