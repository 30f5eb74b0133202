import { fieldForbidden, fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";
import type { ServiceAccountTokenProjection, VolumeProjection } from "@kedge/machinery/kinds/core/v1";
import type { Sent } from "../sent.ts";
import { validateDownwardFile } from "./downward-file.ts";
import { required } from "./field-rules.ts";
import { descendingNotReserved } from "./path-text.ts";
import { validateItems } from "./volume-files.ts";

/** What is wrong with one source of a projected volume; `volume` is the path of that. */
export function validateProjection(
  source: Sent<VolumeProjection>,
  path: FieldPath,
  volume: FieldPath,
): FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  return [
    ...(secret === undefined ? [] : namedErrors(secret, path.child("secret"))),
    ...(configMap === undefined ? [] : namedErrors(configMap, path.child("configMap"))),
    ...(downwardAPI?.items ?? []).flatMap((file) => validateDownwardFile(file, path.child("downwardAPI"))),
    ...(serviceAccountToken === undefined
      ? []
      : tokenErrors(serviceAccountToken, path.child("serviceAccountToken"), volume)),
    ...(Object.values(source).filter((value) => value !== undefined).length > 1
      ? [fieldForbidden(path, "may not specify more than 1 volume type per source")]
      : []),
  ];
}

function namedErrors(
  { name, items }: Pick<NonNullable<Sent<VolumeProjection>["secret"]>, "name" | "items">,
  path: FieldPath,
): FieldError[] {
  return [...required(name, path.child("name")), ...validateItems(items, path.child("items"))];
}

function tokenErrors(
  { expirationSeconds = 0, path: file = "" }: Sent<ServiceAccountTokenProjection>,
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
