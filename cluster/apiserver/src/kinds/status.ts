import { clone, type FieldError, type ObjectMeta } from "@kedge/machinery";
import type { ApiObject, PartSubresource, StoredApiObject } from "../registry/types.ts";

/** Creators do not set the status. */
export function dropStatus(object: ApiObject): void {
  delete object["status"];
}

/** Writers of the object itself do not change its status. */
export function keepStatus(object: ApiObject, previous: StoredApiObject): void {
  keep(object, previous, ["status"]);
}

/** How the status of a kind is written. */
export interface StatusPartOptions {
  /** Metadata that a writer of the status may not change. Default: none, as most kinds have it. */
  readonly keepMetadata?: readonly (keyof ObjectMeta)[];
  /** Done in place after the rest was taken over. */
  readonly prepare?: PartSubresource["prepareForUpdate"];
  /** All that is wrong with the new status. Default: nothing. */
  readonly validateUpdate?: PartSubresource["validateUpdate"];
}

/** The subresource `status`: everything but the status, and metadata, stays as it is. */
export function statusPart(options: StatusPartOptions = {}): PartSubresource {
  const { keepMetadata = [], prepare, validateUpdate } = options;
  return {
    type: "part",
    verbs: ["get", "patch", "update"],
    keepsGeneration: true,
    keepsMetadata: keepMetadata,
    prepareForUpdate: (object, previous, context) => {
      keep(object, previous, fieldsBut(object, previous, ["status"]));
      keepMeta(object, previous, keepMetadata);
      prepare?.(object, previous, context);
    },
    validate: nothingWrong,
    ...(validateUpdate !== undefined && { validateUpdate }),
  };
}

/** Takes over top-level fields from the stored object: missing ones too. */
export function keep(object: ApiObject, previous: StoredApiObject, fields: Iterable<string>): void {
  for (const field of fields) {
    if (previous[field] === undefined) delete object[field];
    else object[field] = clone(previous[field]);
  }
}

/** Takes over metadata from the stored object: missing ones too. */
export function keepMeta(
  object: ApiObject,
  previous: StoredApiObject,
  fields: readonly (keyof ObjectMeta)[],
): void {
  const kept = clone(previous.metadata);
  const metadata: ObjectMeta = { ...object.metadata };
  for (const field of fields) delete metadata[field];
  object.metadata = {
    ...metadata,
    ...Object.fromEntries(Object.entries(kept).filter(([key]) => fields.some((field) => field === key))),
  };
}

/** All fields of both but type, metadata and these. */
function fieldsBut(
  object: ApiObject,
  previous: StoredApiObject,
  others: readonly string[],
): ReadonlySet<string> {
  const left = new Set([...Object.keys(object), ...Object.keys(previous)]);
  for (const field of ["apiVersion", "kind", "metadata", ...others]) left.delete(field);
  return left;
}

/** All but type and metadata. */
export function fieldsOf({
  apiVersion: _v,
  kind: _k,
  metadata: _m,
  ...fields
}: StoredApiObject): Record<string, unknown> {
  return fields;
}

function nothingWrong(): readonly FieldError[] {
  return [];
}

/** What Kubernetes calls the metadata that a writer of a status may not touch, for the kinds that are strict. */
export const metadataOfStatus: readonly (keyof ObjectMeta)[] = [
  "deletionTimestamp",
  "generation",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
];
