import { fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";

/** A path of files that does not lead upwards. */
export function noBacksteps(text: string, path: FieldPath): FieldError[] {
  return text.split("/").includes("..") ? [fieldInvalid(path, text, "must not contain '..'")] : [];
}

/** A path below something: relative, and not upwards. */
export function descending(text: string, path: FieldPath): FieldError[] {
  return [
    ...(text.startsWith("/") ? [fieldInvalid(path, text, "must be a relative path")] : []),
    ...noBacksteps(text, path),
  ];
}

/** A path below a volume, whose names that begin with two dots belong to the node agent. */
export function descendingNotReserved(text: string, path: FieldPath): FieldError[] {
  return [
    ...descending(text, path),
    ...(text.startsWith("..") && !text.startsWith("../")
      ? [fieldInvalid(path, text, "must not start with '..'")]
      : []),
  ];
}
