import {
  alreadyExists,
  applyJsonPatch,
  applyMergePatch,
  conflict,
  deducedSchema,
  fieldInvalid,
  formatTime,
  invalid,
  keyToString,
  notFound,
  readJsonPatch,
  type Clock,
  type StoredObject,
  type TypeSchema,
} from "@kedge/machinery";
import { keepTimes, serverSideApply, trackUpdate } from "@kedge/machinery/apply";
import { builtinTable, tableSchemas } from "@kedge/machinery/schema-table";
import type { MemoryStore } from "./memory-store.ts";
import type { Target } from "./memory-target.ts";

/** A write as it came. */
export interface MemoryWrite {
  readonly target: Target;
  readonly method: string;
  readonly contentType: string;
  readonly body: Body;
  readonly manager: string;
  readonly force: boolean;
}

type Body = Record<string, unknown> & { apiVersion?: string; kind?: string; metadata?: Meta };
type Meta = Partial<StoredObject["metadata"]>;
type Stored = StoredObject & Record<string, unknown>;

const schemas = tableSchemas(builtinTable());
const table = builtinTable();

/** Carries out creates, updates, patches and applies, with optimistic locking, managedFields and finalizers. */
export function writeObject(store: MemoryStore, clock: Clock, write: MemoryWrite): StoredObject {
  const { target, method, body } = write;
  const name = target.name ?? body.metadata?.name ?? "";
  const key = keyToString({ namespace: target.namespace, name });
  const live = store.get(target.collection, key) as Stored | undefined;
  const isApply = write.contentType.startsWith("application/apply-patch");
  if (method === "POST" && live !== undefined) throw alreadyExists(target, name);
  if (method !== "POST" && live === undefined && !isApply) throw notFound(target, name);
  if (isApply && live === undefined && body.metadata?.uid !== undefined) throw conflict(target, name);
  if (isApply && live !== undefined) checkUid(live, body);
  if (live !== undefined && method !== "POST")
    checkVersion(live, body.metadata ?? {}, () => conflict(target, name));
  const before = live ?? newObject(store, clock, { write, name });
  const merged = merge(before, live === undefined, write, clock);
  const after = withFixedFields(before, merged, write);
  return finish(store, target.collection, after);
}

/** An apply with another uid is taken for an attempt to change it. */
function checkUid({ kind, metadata }: Stored, body: Body): void {
  const uid = body.metadata?.uid ?? metadata.uid;
  if (uid === metadata.uid) return;
  throw invalid({ group: "", kind }, metadata.name, [
    fieldInvalid("metadata.uid", uid, "field is immutable"),
  ]);
}

function checkVersion(live: Stored, meta: Meta, failure: () => Error): void {
  const { uid, resourceVersion } = live.metadata;
  if (meta.uid !== undefined && meta.uid !== uid) throw failure();
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== resourceVersion) throw failure();
}

function newObject(
  store: MemoryStore,
  clock: Clock,
  { write, name }: { readonly write: MemoryWrite; readonly name: string },
): Stored {
  const { body, target } = write;
  return {
    apiVersion: body.apiVersion ?? "",
    kind: body.kind ?? "",
    metadata: {
      name,
      ...(target.namespace !== undefined && { namespace: target.namespace }),
      uid: store.uuid(),
      creationTimestamp: formatTime(clock.now()),
      resourceVersion: "",
    } as StoredObject["metadata"],
  };
}

function merge(before: Stored, isNew: boolean, write: MemoryWrite, clock: Clock): Stored {
  const { apiVersion, kind } = before;
  const time = formatTime(clock.now());
  const options = {
    apiVersion,
    kind,
    schema: schemaOf(write.target, kind),
    subresource: write.target.subresource,
  };
  const writer = { manager: write.manager, time };
  if (write.contentType.startsWith("application/apply-patch")) {
    const applied = { apiVersion, kind, ...write.body };
    const { force } = write;
    return serverSideApply({ ...writer, live: before, applied, force }, options) as Stored;
  }
  const updated = { ...before, ...patched(before, write) };
  const live = isNew ? { apiVersion, kind } : before;
  return trackUpdate({ ...writer, live, updated }, options) as Stored;
}

function patched(before: Stored, { contentType, body }: MemoryWrite): Record<string, unknown> {
  if (contentType.startsWith("application/json-patch")) {
    return applyJsonPatch(before, readJsonPatch(body)) as Record<string, unknown>;
  }
  if (contentType.startsWith("application/merge-patch")) {
    return applyMergePatch(before, body) as Record<string, unknown>;
  }
  const metadata = { ...body.metadata, managedFields: before.metadata.managedFields };
  return { ...body, metadata };
}

/** What the writer may not change stays; the generation counts changes of what is wanted. */
function withFixedFields(before: Stored, merged: Stored, { target }: MemoryWrite): Stored {
  const isStatus = target.subresource === "status";
  const { uid, name, namespace, creationTimestamp, deletionTimestamp, resourceVersion, generation } =
    before.metadata;
  const fixed = {
    uid,
    name,
    creationTimestamp,
    resourceVersion,
    ...(namespace !== undefined && { namespace }),
  };
  const managedFields = merged.metadata.managedFields;
  const base = isStatus ? { ...before.metadata, managedFields } : { ...merged.metadata, ...fixed };
  const content: Record<string, unknown> = isStatus
    ? { ...before, status: merged["status"] }
    : { ...merged, status: before["status"] };
  const isChanged =
    JSON.stringify(content["spec"]) !== JSON.stringify(before["spec"]) || generation === undefined;
  const counted =
    content["spec"] === undefined ? {} : { generation: (generation ?? 0) + (isChanged ? 1 : 0) };
  const metadata = { ...base, ...counted, ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
  return keepTimes(before, withoutUndefined({ ...content, metadata })) as Stored;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
}

function finish(store: MemoryStore, collection: string, object: Stored): StoredObject {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return store.put(collection, object);
  store.remove(collection, object);
  return object;
}

function schemaOf(target: Target, kind: string): TypeSchema {
  const type = table.kind({ group: target.group, version: target.version, kind });
  return (type === undefined ? undefined : schemas(type.name)) ?? deducedSchema;
}
