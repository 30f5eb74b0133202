import type {
  HostPathVolumeSource,
  ImageVolumeSource,
  ServiceAccountTokenProjection,
  Volume,
} from "@kedge/machinery/kinds/core/v1";
import type { Sent } from "../../registry/sent.ts";
import type { Defaulter } from "../settle/settle.ts";
import { defaultPullPolicy } from "./image-tag.ts";

/** Defaults of a pod's volumes. */
export const volumeDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.core.v1.Volume", setVolume],
  ["io.k8s.api.core.v1.SecretVolumeSource", setMode],
  ["io.k8s.api.core.v1.ConfigMapVolumeSource", setMode],
  ["io.k8s.api.core.v1.DownwardAPIVolumeSource", setMode],
  ["io.k8s.api.core.v1.ProjectedVolumeSource", setMode],
  ["io.k8s.api.core.v1.ServiceAccountTokenProjection", setToken],
  ["io.k8s.api.core.v1.HostPathVolumeSource", setHostPath],
  ["io.k8s.api.core.v1.ImageVolumeSource", setImage],
];

function setVolume(volume: Sent<Volume>): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
}

function setMode(source: { defaultMode?: number | undefined }): void {
  source.defaultMode ??= 0o644;
}

function setToken(projection: Sent<ServiceAccountTokenProjection>): void {
  projection.expirationSeconds ??= 3600;
}

function setHostPath(source: Sent<HostPathVolumeSource>): void {
  source.type ??= "";
}

function setImage(source: Sent<ImageVolumeSource>): void {
  source.pullPolicy ??= defaultPullPolicy(source.reference ?? "");
}
