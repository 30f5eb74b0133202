import { fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";
import type { KeyToPath } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { required } from "../validation/field-rules.ts";
import { descendingNotReserved } from "../validation/path-text.ts";

/** Rights of files, as a number. */
export function validateMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [fieldInvalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

/** Which key becomes which file. */
export function validateItems(
  items: readonly Decoded<KeyToPath>[] | undefined,
  path: FieldPath,
): FieldError[] {
  return (items ?? []).flatMap((item, i) => validateItem(item, path.index(i)));
}

/** The same of one of them. */
export function validateItem(
  { key, path: file = "", mode }: Decoded<KeyToPath>,
  path: FieldPath,
): FieldError[] {
  return [
    ...required(key, path.child("key")),
    ...required(file, path.child("path")),
    ...descendingNotReserved(file, path.child("path")),
    ...validateMode(mode, path.child("mode")),
  ];
}
