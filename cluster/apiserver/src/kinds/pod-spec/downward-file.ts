import { fieldInvalid, fieldRequired, type FieldError, type FieldPath } from "@kedge/machinery";
import type { DownwardAPIVolumeFile } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateFieldRef, validateResourceRef } from "./env.ts";
import { required } from "../validation/field-rules.ts";
import { descendingNotReserved } from "../validation/path-text.ts";
import { validateMode } from "./volume-files.ts";

/** What is wrong with a file that says something of its pod. Kubernetes says it of the list, not of the item. */
export function validateDownwardFile(file: Decoded<DownwardAPIVolumeFile>, path: FieldPath): FieldError[] {
  const { path: name = "", fieldRef, resourceFieldRef, mode } = file;
  return [
    ...required(name, path.child("path")),
    ...descendingNotReserved(name, path.child("path")),
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, fileFields, path.child("fieldRef"))),
    ...(fieldRef !== undefined && resourceFieldRef !== undefined
      ? [fieldInvalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
      : []),
    ...(fieldRef === undefined && resourceFieldRef !== undefined
      ? validateResourceRef(resourceFieldRef, "file", path.child("resourceFieldRef"))
      : []),
    ...(fieldRef === undefined && resourceFieldRef === undefined
      ? [fieldRequired(path, "one of fieldRef and resourceFieldRef is required")]
      : []),
    ...validateMode(mode, path.child("mode")),
  ];
}

const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
