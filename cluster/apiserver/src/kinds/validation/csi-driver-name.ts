import {
  fieldRequired,
  fieldTooLong,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { named } from "./field-rules.ts";

const longest = 63;

/** What is wrong with the name of a CSI driver. */
export function validateDriverName(name: string, path: FieldPath): FieldError[] {
  if (name === "") return [fieldRequired(path)];
  return [
    ...(Buffer.byteLength(name) > longest ? [fieldTooLong(path, longest)] : []),
    ...named(name.toLowerCase(), validateDns1123Subdomain, path),
  ];
}
