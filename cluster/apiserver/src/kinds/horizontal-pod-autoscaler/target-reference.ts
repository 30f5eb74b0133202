import {
  fieldInvalid,
  fieldRequired,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { CrossVersionObjectReference } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with the name of what an autoscaler scales or looks at. */
export function validateTargetReference(
  { kind = "", name = "", apiVersion = "" }: Decoded<CrossVersionObjectReference>,
  path: FieldPath,
  { anyGroup = false } = {},
): FieldError[] {
  return [
    ...(kind === ""
      ? [fieldRequired(path.child("kind"))]
      : named(kind, validatePathSegmentName, path.child("kind"))),
    ...(name === ""
      ? [fieldRequired(path.child("name"))]
      : named(name, validatePathSegmentName, path.child("name"))),
    ...versionErrors(anyGroup || kind === "ReplicationController", apiVersion, path.child("apiVersion")),
  ];
}

/** A ReplicationController is the one target of the core group. */
function versionErrors(mayBeCore: boolean, apiVersion: string, path: FieldPath): FieldError[] {
  const parts = apiVersion.split("/");
  if (parts.length > 2)
    return [fieldInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  if (mayBeCore || parts.length === 2) return [];
  return [fieldInvalid(path, apiVersion, "apiVersion must specify API group")];
}
