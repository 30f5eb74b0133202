import { fieldForbidden, fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";
import type { ServiceAccountTokenProjection, VolumeProjection } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateDownwardFile } from "./downward-file.ts";
import { required } from "../validation/field-rules.ts";
import { descendingNotReserved } from "../validation/path-text.ts";
import { validateItem } from "./volume-files.ts";

/** The volume that a source is of. */
interface ProjectedVolume {
  readonly volume: FieldPath;
  /** The files that sources before it have put there. */
  readonly taken: Set<string>;
}

/** What is wrong with one source of a projected volume. */
export function validateProjection(
  source: Decoded<VolumeProjection>,
  path: FieldPath,
  { volume, taken }: ProjectedVolume,
): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const twice = (file: string | undefined, shown: string | undefined): FieldError[] => {
    if (file === undefined || file === "") return [];
    if (taken.has(file)) return [fieldInvalid(volume, shown ?? "", "conflicting duplicate paths")];
    taken.add(file);
    return [];
  };
  const filesOf = (part: typeof secret, name: "secret" | "configMap"): FieldError[] =>
    part === undefined
      ? []
      : [
          ...required(part.name, path.child(name, "name")),
          ...(part.items ?? []).flatMap((item, i) => [
            ...validateItem(item, path.child(name, "items").index(i)),
            ...twice(item.path, part.name),
          ]),
        ];
  return [
    ...filesOf(secret, "secret"),
    ...filesOf(configMap, "configMap"),
    ...(downwardAPI?.items ?? []).flatMap((file) => [
      ...validateDownwardFile(file, path.child("downwardAPI")),
      ...twice(file.path, file.path),
    ]),
    ...(serviceAccountToken === undefined
      ? []
      : tokenErrors(serviceAccountToken, path.child("serviceAccountToken"), volume)),
    ...(Object.values(source).filter((value) => value !== undefined).length > 1
      ? [fieldForbidden(path, "may not specify more than 1 volume type per source")]
      : []),
  ];
}

function tokenErrors(
  { expirationSeconds = 0, path: file = "" }: Decoded<ServiceAccountTokenProjection>,
  path: FieldPath,
  volume: FieldPath,
): FieldError[] {
  const time = path.child("expirationSeconds");
  return [
    ...(expirationSeconds < 600
      ? [fieldInvalid(time, expirationSeconds, "may not specify a duration less than 10 minutes")]
      : []),
    ...(expirationSeconds > 2 ** 32
      ? [fieldInvalid(time, expirationSeconds, "may not specify a duration larger than 2^32 seconds")]
      : []),
    ...required(file, volume.child("path")),
    ...descendingNotReserved(file, volume.child("path")),
  ];
}
