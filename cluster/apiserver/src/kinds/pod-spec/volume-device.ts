import { fieldInvalid, fieldNotFound, type FieldError, type FieldPath } from "@kedge/machinery";
import type { Container } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { required } from "../validation/field-rules.ts";
import { noBacksteps } from "../validation/path-text.ts";
import type { KnownVolumes } from "./volume.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with where a container sees the pod's block devices. */
export function validateVolumeDevices(
  { volumeDevices = [], volumeMounts = [] }: Pick<Decoded<Container>, "volumeMounts" | "volumeDevices">,
  volumes: KnownVolumes,
  path: FieldPath,
): FieldError[] {
  const secondNames = repeated(volumeDevices, ({ name }) => name);
  const secondPaths = repeated(volumeDevices, ({ devicePath }) => devicePath);
  const mounts = new Set(volumeMounts.map((mount) => mount.name));
  const mountPaths = new Set(volumeMounts.map((mount) => mount.mountPath));
  return volumeDevices.flatMap(({ name = "", devicePath = "" }, i) => {
    const at = path.index(i).child("name");
    const pathAt = path.index(i).child("devicePath");
    const isKnown = volumes.has(name);
    return [
      ...required(name, at),
      ...(secondNames.has(i) ? [fieldInvalid(at, name, "must be unique")] : []),
      ...(isKnown && volumes.get(name) !== "block"
        ? [
            fieldInvalid(
              at,
              name,
              "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
          ]
        : []),
      ...(isKnown ? [] : [fieldNotFound(at, name)]),
      ...required(devicePath, pathAt),
      ...(secondPaths.has(i) ? [fieldInvalid(pathAt, devicePath, "must be unique")] : []),
      ...(noBacksteps(devicePath, pathAt).length > 0
        ? [fieldInvalid(pathAt, devicePath, "can not contain backsteps ('..')")]
        : []),
      ...(mounts.has(name) ? [fieldInvalid(at, name, "must not already exist in volumeMounts")] : []),
      ...(mountPaths.has(devicePath)
        ? [fieldInvalid(pathAt, devicePath, "must not already exist as a path in volumeMounts")]
        : []),
    ];
  });
}
