import { setOwn } from "@kedge/machinery";
import type {
  LimitRangeItem,
  Namespace,
  NodeSpec,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  ReplicationController,
  Secret,
} from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the core group's other kinds. */
export const coreDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.core.v1.Namespace", setNamespace],
  ["io.k8s.api.core.v1.NodeSpec", setNodeSpec],
  ["io.k8s.api.core.v1.NodeStatus", setNodeStatus],
  ["io.k8s.api.core.v1.Secret", setSecret],
  ["io.k8s.api.core.v1.PersistentVolume", setVolume],
  ["io.k8s.api.core.v1.PersistentVolumeClaim", setClaim],
  ["io.k8s.api.core.v1.PersistentVolumeClaimSpec", setClaimSpec],
  ["io.k8s.api.core.v1.EndpointPort", setProtocol],
  ["io.k8s.api.core.v1.LimitRangeItem", setLimits],
  ["io.k8s.api.core.v1.ReplicationController", setReplicationController],
];

function setNamespace(namespace: Decoded<Namespace>): void {
  const metadata = (namespace.metadata ??= {});
  if (metadata.name !== undefined)
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  const status = (namespace.status ??= {});
  status.phase ??= "Active";
}

/** The older field of a single range is the first of the newer list. */
function setNodeSpec(spec: Decoded<NodeSpec>): void {
  if (spec.podCIDR !== undefined && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  const [first] = spec.podCIDRs ?? [];
  if (first !== undefined) spec.podCIDR = first;
}

function setNodeStatus(status: Decoded<NodeStatus>): void {
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
}

/** `stringData` is only a way to write: its texts go into `data`. */
function setSecret(secret: Decoded<Secret>): void {
  secret.type ??= "Opaque";
  if (secret.stringData === undefined) return;
  const data = (secret.data ??= {});
  for (const [key, text = ""] of Object.entries(secret.stringData))
    setOwn(data, key, Buffer.from(text ?? "").toString("base64"));
  delete secret.stringData;
}

function setVolume(volume: Decoded<PersistentVolume>): void {
  const status = (volume.status ??= {});
  status.phase ??= "Pending";
  const spec = (volume.spec ??= {});
  spec.persistentVolumeReclaimPolicy ??= "Retain";
  spec.volumeMode ??= "Filesystem";
}

function setClaim(claim: Decoded<PersistentVolumeClaim>): void {
  const status = (claim.status ??= {});
  status.phase ??= "Pending";
}

function setClaimSpec(spec: Decoded<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= "Filesystem";
}

function setProtocol(port: { protocol?: string | undefined }): void {
  port.protocol ??= "TCP";
}

function setLimits(item: Decoded<LimitRangeItem>): void {
  if (item.type !== "Container") return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
}

function setReplicationController(controller: Decoded<ReplicationController>): void {
  const labels = controller.spec?.template?.metadata?.labels;
  if (labels === undefined) return;
  const spec = (controller.spec ??= {});
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  const metadata = (controller.metadata ??= {});
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}
