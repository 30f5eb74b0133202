import { isJsonObject } from "@kedge/machinery";
import type { Container, EphemeralContainer, Pod, Volume } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** All objects of its namespace that a pod's node needs to run it, as `plural/name`, itself among them. */
export function podReferences({ metadata, spec = {} }: Decoded<Pod>): ReadonlySet<string> {
  const pod = metadata?.name ?? "";
  const found = new Set([`pods/${pod}`]);
  const add = (plural: string, name: string | undefined): void => {
    if (name !== undefined && name !== "") found.add(`${plural}/${name}`);
  };
  add("serviceaccounts", spec.serviceAccountName);
  for (const { name } of spec.imagePullSecrets ?? []) add("secrets", name);
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  for (const container of [...initContainers, ...containers, ...ephemeralContainers])
    addOfContainer(container, add);
  for (const volume of spec.volumes ?? []) addOfVolume(volume, pod, add);
  return found;
}

type Add = (plural: string, name: string | undefined) => void;

function addOfContainer(
  { env = [], envFrom = [] }: Decoded<Container> | Decoded<EphemeralContainer>,
  add: Add,
): void {
  for (const { valueFrom } of env) {
    add("secrets", valueFrom?.secretKeyRef?.name);
    add("configmaps", valueFrom?.configMapKeyRef?.name);
  }
  for (const { secretRef, configMapRef } of envFrom) {
    add("secrets", secretRef?.name);
    add("configmaps", configMapRef?.name);
  }
}

function addOfVolume(volume: Decoded<Volume>, pod: string, add: Add): void {
  add("secrets", volume.secret?.secretName);
  add("secrets", volume.azureFile?.secretName);
  add("configmaps", volume.configMap?.name);
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName);
  if (volume.ephemeral !== undefined) add("persistentvolumeclaims", `${pod}-${volume.name ?? ""}`);
  for (const { secret, configMap } of volume.projected?.sources ?? []) {
    add("secrets", secret?.name);
    add("configmaps", configMap?.name);
  }
  add("secrets", volume.csi?.nodePublishSecretRef?.name);
  for (const source of Object.values<unknown>(volume)) {
    const secretRef = isJsonObject(source) ? source["secretRef"] : undefined;
    if (isJsonObject(secretRef) && typeof secretRef["name"] === "string") add("secrets", secretRef["name"]);
  }
}
