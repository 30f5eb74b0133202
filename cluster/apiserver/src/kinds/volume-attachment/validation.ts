import {
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTooLong,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { VolumeAttachment, type VolumeError } from "@kedge/machinery/kinds/storage/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateDriverName } from "../validation/csi-driver-name.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with an attachment by itself. */
export function validateAttachment(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(VolumeAttachment, object);
  const { attacher = "", source = {}, nodeName = "" } = spec;
  const path = fieldPath("spec");
  const { persistentVolumeName: volume } = source;
  return [
    ...validateDriverName(attacher, path.child("attacher")),
    ...sourceErrors(volume, source.inlineVolumeSpec !== undefined, path.child("source")),
    ...named(nodeName, validateDns1123Subdomain, path.child("nodeName")),
    ...validateAttachmentStatus(object),
    ...(volume === undefined
      ? []
      : named(volume, validateDns1123Subdomain, path.child("source", "persistentVolumeName"))),
  ];
}

const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";

function sourceErrors(volume: string | undefined, isInline: boolean, path: FieldPath): FieldError[] {
  if (volume === undefined) return isInline ? [] : [fieldRequired(path, exactlyOne)];
  if (isInline) return [fieldForbidden(path, exactlyOne)];
  if (volume !== "") return [];
  return [fieldRequired(path.child("persistentVolumeName"), "must specify non empty persistentVolumeName")];
}

const longestMetadata = 256 * 1024;
const longestMessage = 1024;

/** What is wrong with the status of an attachment. */
export function validateAttachmentStatus(object: StoredApiObject): FieldError[] {
  const { status = {} } = decodedAs(VolumeAttachment, object);
  const path = fieldPath("status");
  const size = Object.entries(status.attachmentMetadata ?? {}).reduce(
    (sum, [key, value = ""]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(size > longestMetadata ? [fieldTooLong(path.child("attachmentMetadata"), longestMetadata)] : []),
    ...errorErrors(status.attachError, path.child("attachError")),
    ...errorErrors(status.detachError, path.child("detachError")),
  ];
}

function errorErrors(error: Decoded<VolumeError> | undefined, path: FieldPath): FieldError[] {
  const { message = "", errorCode } = error ?? {};
  return [
    ...(Buffer.byteLength(message) > longestMessage
      ? [fieldTooLong(path.child("message"), longestMetadata)]
      : []),
    ...(errorCode !== undefined && errorCode < 0
      ? [fieldInvalid(path.child("errorCode"), errorCode, "must be between 0 and 2147483647, inclusive")]
      : []),
  ];
}
