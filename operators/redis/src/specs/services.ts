import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import { labelsOf, namesOf, redisPort, roleLabel } from "../names.ts";
import type { InstanceKey } from "./instance-key.ts";

/** The StatefulSet controller puts it on pods. */
const podNameLabel = "statefulset.kubernetes.io/pod-name";

const port = { name: "redis", port: redisPort, targetPort: "redis", protocol: "TCP" };

/**
 * The Service that clients use. It reaches the primary alone, by the label that the StatefulSet controller sets: so a
 * primary that is restarted is reached again also while no operator runs, and a failover moves it in one write.
 */
export function serviceOf(
  { namespace, name }: InstanceKey,
  primaryPod: string,
  found?: DeepReadonly<Service>,
): ApplyObject<Service> {
  const { service } = namesOf(name);
  // It is moved only as it was seen: who was paused since then must not undo what another operator has done.
  const isMoved = found !== undefined && found.spec?.selector?.[podNameLabel] !== primaryPod;
  return {
    metadata: {
      namespace,
      name: service,
      labels: labelsOf(name),
      ...(isMoved && { resourceVersion: found.metadata.resourceVersion }),
    },
    spec: {
      type: "ClusterIP",
      selector: { ...labelsOf(name), [podNameLabel]: primaryPod },
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
