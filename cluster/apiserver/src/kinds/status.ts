import type { FieldError, ObjectMeta } from "@kedge/machinery";
import { keep, keepAllBut } from "../registry/keep-fields.ts";
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
    writes: ["status"],
    prepareForUpdate: (object, previous, context) => {
      keepAllBut(object, previous, ["status"]);
      keepMeta(object, previous, keepMetadata);
      prepare?.(object, previous, context);
    },
    validate: nothingWrong,
    ...(validateUpdate !== undefined && { validateUpdate }),
  };
}

/** Takes over metadata from the stored object: missing ones too. */
export function keepMeta(
  object: ApiObject,
  previous: StoredApiObject,
  fields: readonly (keyof ObjectMeta)[],
): void {
  const metadata: ObjectMeta = { ...object.metadata };
  for (const field of fields) {
    if (previous.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: previous.metadata[field] });
  }
  object.metadata = metadata;
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
