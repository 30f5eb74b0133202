declare const brand: unique symbol;

/** An object's identity over all time: a new object of the same name has another uid. */
export type Uid = string & { readonly [brand]: "Uid" };

/**
 * A version of the server's state, opaque to clients: compare for equality, hand back, never compute with.
 * `compareResourceVersions` is the one sanctioned ordering.
 */
export type ResourceVersion = string & { readonly [brand]: "ResourceVersion" };

/** RFC 3339 with seconds (`2026-11-15T21:36:02Z`), a string as on the wire. */
export type Time = string;

/** RFC 3339 with microseconds, a string as on the wire. */
export type MicroTime = string;

/** Says which object this one belongs to; the garbage collector follows it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: Uid;
  /** True for the one owner that manages this object. */
  controller?: boolean | undefined;
  /** Foreground deletion of the owner waits for this object. Needs update permission on the owner's finalizers. */
  blockOwnerDeletion?: boolean | undefined;
}

/** One manager's field set, as server-side apply keeps it. */
export interface ManagedFieldsEntry {
  manager?: string | undefined;
  operation?: "Apply" | "Update" | undefined;
  apiVersion?: string | undefined;
  time?: Time | undefined;
  fieldsType?: "FieldsV1" | undefined;
  fieldsV1?: object | undefined;
  subresource?: string | undefined;
}

/** Metadata as a writer sends it, and as templates hold it: everything is optional. */
export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: Uid | undefined;
  resourceVersion?: ResourceVersion | undefined;
  generation?: number | undefined;
  creationTimestamp?: Time | undefined;
  deletionTimestamp?: Time | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  finalizers?: string[] | undefined;
  managedFields?: ManagedFieldsEntry[] | undefined;
  selfLink?: string | undefined;
}

/** Metadata of an object that the server has stored: identity and version are always there. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: Uid;
  resourceVersion: ResourceVersion;
  creationTimestamp: Time;
}

/** Metadata of a stored object that lives in a namespace. */
export interface NamespacedMeta extends StoredMeta {
  namespace: string;
}

/** Metadata of a list: the version it was read at, and how to read on. */
export interface ListMeta {
  resourceVersion?: ResourceVersion | undefined;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
  selfLink?: string | undefined;
}

/** What every object has. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** What every object that came from a server has. */
export interface StoredObject extends KubeObject {
  metadata: StoredMeta;
}

/**
 * An object on its way to the server: `apiVersion` and `kind` may be left to the kind descriptor, metadata may be
 * partial (and absent on what is never stored: reviews), and `status` is never required.
 */
export type Draft<T> = Omit<T, "apiVersion" | "kind" | "metadata" | "status"> & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
} & (T extends { metadata: StoredMeta } ? { metadata: ObjectMeta } : { metadata?: ObjectMeta | undefined }) &
  (T extends { status?: infer S } ? { status?: S } : unknown);

/** A list as the server answers it. */
export interface KubeList<T> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}
