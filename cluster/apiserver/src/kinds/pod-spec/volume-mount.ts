import {
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Container, VolumeMount } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { optionalOneOf, required } from "../validation/field-rules.ts";
import { descending } from "../validation/path-text.ts";
import type { KnownVolumes } from "./volume.ts";
import { repeated } from "../repeated.ts";

/** What is wrong with where a container sees the pod's volumes. */
export function validateVolumeMounts(
  {
    volumeMounts = [],
    volumeDevices = [],
    securityContext,
  }: Pick<Decoded<Container>, "volumeMounts" | "volumeDevices" | "securityContext">,
  volumes: KnownVolumes,
  path: FieldPath,
): FieldError[] {
  const second = repeated(volumeMounts, (mount) => mount.mountPath ?? "");
  const devices = new Set(volumeDevices.map((device) => device.name));
  return volumeMounts.flatMap((mount, i) => {
    const { name = "", mountPath = "" } = mount;
    const item = path.index(i);
    return [
      ...required(name, item.child("name")),
      ...(volumes.has(name) ? [] : [fieldNotFound(item.child("name"), name)]),
      ...required(mountPath, item.child("mountPath")),
      ...(second.has(i) ? [fieldInvalid(item.child("mountPath"), mountPath, "must be unique")] : []),
      ...(devices.has(name)
        ? [fieldInvalid(item.child("name"), name, "must not already exist in volumeDevices")]
        : []),
      ...subPathErrors(mount, path, item),
      ...propagationErrors(mount, securityContext?.privileged === true, path.child("mountPropagation")),
    ];
  });
}

/** Kubernetes says these of the list, not of the item. */
function subPathErrors(
  { subPath = "", subPathExpr = "" }: Decoded<VolumeMount>,
  path: FieldPath,
  item: FieldPath,
): FieldError[] {
  return [
    ...(subPath === "" ? [] : descending(subPath, path.child("subPath"))),
    ...(subPath !== "" && subPathExpr !== ""
      ? [
          fieldInvalid(
            item.child("subPathExpr"),
            subPathExpr,
            "subPathExpr and subPath are mutually exclusive",
          ),
        ]
      : []),
    ...(subPathExpr === "" ? [] : descending(subPathExpr, path.child("subPathExpr"))),
  ];
}

function propagationErrors(
  { mountPropagation }: Decoded<VolumeMount>,
  isPrivileged: boolean,
  path: FieldPath,
): FieldError[] {
  return [
    ...optionalOneOf(mountPropagation, ["Bidirectional", "HostToContainer", "None"], path),
    ...(mountPropagation === "Bidirectional" && !isPrivileged
      ? [fieldForbidden(path, "Bidirectional mount propagation is available only to privileged containers")]
      : []),
  ];
}
