import type { JsonObject } from "../json-value.ts";
import type { Time } from "../objects/metadata.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { difference, emptySet, isEmptySet, setOf, type FieldSet } from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import { fieldElement } from "./path-element.ts";

/** What is the same for all writes to one endpoint. */
export interface FieldManagerOptions {
  /** The kind of the objects, in the version of the endpoint. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: TypeSchema;
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource?: string | undefined;
  /** What writers of this endpoint cannot change: `status` for the object itself, all but `status` for that. */
  readonly resetFields?: FieldSet | undefined;
  /** The object that nothing was said of (see `zeroObject`); by default only `apiVersion` and `kind`. */
  readonly emptyObject?: Readonly<JsonObject> | undefined;
  /** Whether a version is still served. Entries of other versions are forgotten. By default all are. */
  readonly isServed?: ((apiVersion: string) => boolean) | undefined;
}

/** Who writes, and when. */
export interface Writer {
  /** The name of the field manager. */
  readonly manager: string;
  readonly time: Time;
}

/** An object without its managedFields, and who manages it. */
export interface ManagedObject {
  readonly object: Readonly<JsonObject>;
  readonly managers: Managers;
}

/** The object that stands for one that does not exist yet. */
export function emptyObjectOf({ emptyObject, apiVersion, kind }: FieldManagerOptions): Readonly<JsonObject> {
  return emptyObject ?? { apiVersion, kind };
}

/** Nobody owns what tells objects apart, and what the server writes. */
export function stripMeta(managers: Map<string, Manager>, id: string): void {
  const manager = managers.get(id);
  if (manager === undefined) return;
  const fields = difference(manager.fields, neverOwned);
  if (isEmptySet(fields)) managers.delete(id);
  else if (fields !== manager.fields) managers.set(id, { ...manager, fields });
}

/** The reset fields of an endpoint. */
export function resetFieldsOf({ resetFields }: FieldManagerOptions): FieldSet {
  return resetFields ?? emptySet;
}

const metaFields = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
];

const neverOwned = setOf([
  [fieldElement("apiVersion")],
  [fieldElement("kind")],
  [fieldElement("metadata")],
  ...metaFields.map((name) => [fieldElement("metadata"), fieldElement(name)]),
]);
