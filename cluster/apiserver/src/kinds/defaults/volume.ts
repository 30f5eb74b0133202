import type {
  HostPathVolumeSource,
  ImageVolumeSource,
  ServiceAccountTokenProjection,
  Volume,
} from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";
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

function setVolume(volume: Decoded<Volume>): void {
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
}

function setMode(source: { defaultMode?: number | undefined }): void {
  source.defaultMode ??= 0o644;
}

function setToken(projection: Decoded<ServiceAccountTokenProjection>): void {
  projection.expirationSeconds ??= 3600;
}

function setHostPath(source: Decoded<HostPathVolumeSource>): void {
  source.type ??= "";
}

function setImage(source: Decoded<ImageVolumeSource>): void {
  source.pullPolicy ??= defaultPullPolicy(source.reference ?? "");
}
