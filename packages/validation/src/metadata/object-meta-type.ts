import { decodeGo, type GoType } from "./go-type.ts";

/** What decoding metadata gave: the unknown fields that were dropped, below metadata, or why it cannot be decoded. */
export type CoercedMeta =
  | { readonly unknown: readonly string[]; readonly error?: undefined }
  | { readonly error: string };

/** Decodes the metadata of an embedded object in place, as the server does. */
export function coerceObjectMeta(metadata: unknown): CoercedMeta {
  const unknown: string[] = [];
  const error = decodeGo(metadata, objectMeta, { unknown, path: "", field: "" });
  return error === undefined ? { unknown } : { error };
}

const string: GoType = { kind: "string", name: "string" };
const uid: GoType = { kind: "string", name: "types.UID" };
const bool: GoType = { kind: "bool", name: "bool" };
const int64: GoType = { kind: "int64", name: "int64" };
const time: GoType = { kind: "time", name: "v1.Time" };
const texts: GoType = { kind: "map", name: "map[string]string", values: string };

const ownerReference: GoType = {
  kind: "struct",
  name: "OwnerReference",
  fields: new Map([
    ["apiVersion", string],
    ["kind", string],
    ["name", string],
    ["uid", uid],
    ["controller", bool],
    ["blockOwnerDeletion", bool],
  ]),
};

const managedFieldsEntry: GoType = {
  kind: "struct",
  name: "ManagedFieldsEntry",
  fields: new Map<string, GoType>([
    ["manager", string],
    ["operation", string],
    ["apiVersion", string],
    ["time", time],
    ["fieldsType", string],
    ["fieldsV1", { kind: "raw", name: "v1.FieldsV1" }],
    ["subresource", string],
  ]),
};

const objectMeta: GoType = {
  kind: "struct",
  name: "ObjectMeta",
  fields: new Map<string, GoType>([
    ["name", string],
    ["generateName", string],
    ["namespace", string],
    ["selfLink", string],
    ["uid", uid],
    ["resourceVersion", string],
    ["generation", int64],
    ["creationTimestamp", time],
    ["deletionTimestamp", time],
    ["deletionGracePeriodSeconds", int64],
    ["labels", texts],
    ["annotations", texts],
    ["ownerReferences", { kind: "list", name: "[]v1.OwnerReference", items: ownerReference }],
    ["finalizers", { kind: "list", name: "[]string", items: string }],
    ["managedFields", { kind: "list", name: "[]v1.ManagedFieldsEntry", items: managedFieldsEntry }],
  ]),
};
