import { clone, deepFreeze, isJsonObject, resourceVersion, type JsonObject } from "@kedge/machinery";
import type { ApiObject, Resource, StoredApiObject } from "../registry/types.ts";

/** An object version as one resource shows it. */
export interface ObjectView {
  readonly object: StoredApiObject;
  /** Its JSON without apiVersion and kind, which lists of built-in kinds leave out. Encoded once. */
  readonly json: string;
  /** The line that tells a watcher of it. Encoded once for all of them. */
  event(type: EventType): Uint8Array;
}

/** What watchers are told of objects. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * One version of one object, as stored. It is decoded when it is first looked at, and encoded when it is first sent;
 * all who read it share the result.
 */
export class ObjectVersion {
  readonly key: string;
  /** The revision that wrote it; of a deleted object, the one that removed it. */
  readonly revision: number;
  readonly lease: number;
  readonly #bytes: Uint8Array;
  readonly #views = new WeakMap<Resource, ObjectView>();

  constructor(stored: { key: string; value: Uint8Array; revision: number; lease: number }) {
    this.key = stored.key;
    this.revision = stored.revision;
    this.lease = stored.lease;
    this.#bytes = stored.value;
  }

  /** The same content as what was left when it was deleted. */
  deletedAt(revision: number): ObjectVersion {
    return new ObjectVersion({ key: this.key, value: this.#bytes, revision, lease: this.lease });
  }

  /** What a resource shows of it: in its version, defaulted and pruned as its schema says. */
  as(resource: Resource): ObjectView {
    const known = this.#views.get(resource);
    if (known !== undefined) return known;
    const view = new LazyView(decode(this.#bytes, this.revision, resource));
    this.#views.set(resource, view);
    return view;
  }

  /** Whether these are the bytes that are stored. */
  holds(bytes: Uint8Array): boolean {
    return Buffer.compare(this.#bytes, bytes) === 0;
  }
}

/** The bytes to store for an object: without its resourceVersion, which is the revision of the write. */
export function encodeForStore(
  object: StoredApiObject,
  { conversion }: Pick<Resource, "conversion">,
): Uint8Array {
  const converted = conversion === undefined ? object : clone(object);
  if (converted !== object) conversion?.toStored(converted);
  const { apiVersion, kind, metadata, ...rest } = converted;
  const { resourceVersion: _, ...stored } = metadata;
  return new TextEncoder().encode(JSON.stringify({ kind, apiVersion, metadata: stored, ...rest }));
}

/** An object's JSON without apiVersion and kind. */
function bodyJson(object: Readonly<JsonObject>): string {
  const { apiVersion: _, kind: __, ...rest } = object;
  return JSON.stringify(rest);
}

/** Puts apiVersion and kind before the JSON of the rest of an object, which has metadata at least. */
export function withTypeMeta(
  type: { readonly apiVersion: string; readonly kind: string },
  json: string,
): string {
  return `{"kind":${JSON.stringify(type.kind)},"apiVersion":${JSON.stringify(type.apiVersion)},${json.slice(1)}`;
}

class LazyView implements ObjectView {
  readonly object: StoredApiObject;
  readonly #events = new Map<EventType, Uint8Array>();
  #json: string | undefined;

  constructor(object: StoredApiObject) {
    this.object = object;
  }

  get json(): string {
    this.#json ??= bodyJson(this.object);
    return this.#json;
  }

  event(type: EventType): Uint8Array {
    const known = this.#events.get(type);
    if (known !== undefined) return known;
    const line = new TextEncoder().encode(
      `{"type":"${type}","object":${withTypeMeta(this.object, this.json)}}\n`,
    );
    this.#events.set(type, line);
    return line;
  }
}

function decode(bytes: Uint8Array, revision: number, resource: Resource): StoredApiObject {
  const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const stored = isJsonObject(parsed) ? parsed : {};
  const { apiVersion: _, kind: __, metadata, ...rest } = stored;
  const object: ApiObject = {
    kind: resource.kind,
    apiVersion: resource.group === "" ? resource.version : `${resource.group}/${resource.version}`,
    metadata: {
      ...(isJsonObject(metadata) ? metadata : {}),
      resourceVersion: resourceVersion(String(revision)),
    },
    ...rest,
  };
  resource.conversion?.fromStored(object);
  resource.custom?.read(object);
  deepFreeze(object);
  return object;
}
