import {
  clone,
  deepFreeze,
  internalError,
  isJsonObject,
  parseJsonExactly,
  resourceVersion,
  type JsonObject,
  type StatusError,
} from "@kedge/machinery";
import { builtinEncoder, inEnvelope, watchFrame } from "../protobuf/index.ts";
import type { ApiObject, Resource, StoredApiObject } from "../registry/types.ts";
import type { ViewMemory } from "./view-memory.ts";
import { hiddenIn, joined, metadataIn, storedBody, textsAfter } from "./stored-json.ts";

/** An object version as one resource shows it. Decoded and encoded when that is first asked for. */
export interface ObjectView {
  readonly object: StoredApiObject;
  /** Its JSON without apiVersion and kind, which lists of built-in kinds leave out, and without the first brace. */
  readonly body: readonly Uint8Array[];
  /** Its message in protobuf, without what says what it is. Only for kinds that have one. */
  readonly message: Uint8Array;
  /** What tells a watcher of it: a line of JSON, or a frame of protobuf. */
  event(type: EventType, encoding?: EventEncoding): Uint8Array;
}

/** What watchers are told of objects. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** What watches are written in. */
export type EventEncoding = "json" | "protobuf";

/** The text of a field as it is stored: what comes before it (`"nodeName":"`), and how JSON writes it. */
export interface TextTrace {
  readonly mark: Buffer;
  readonly text: string;
}

/** What is stored of one version. */
export interface StoredVersion {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  readonly lease: number;
}

/**
 * One version of one object, as stored. Its bytes are all that it holds for good; what was made of them is kept as long
 * as there is room for it.
 */
export class ObjectVersion {
  readonly key: string;
  /** The revision that wrote it; of a deleted object, the one that removed it. */
  readonly revision: number;
  readonly lease: number;
  readonly #bytes: Uint8Array;
  readonly #memory: ViewMemory | undefined;
  #views: Map<Resource, LazyView> | undefined;
  /** Of the metadata in the bytes: 0 before it was looked for, -1 when it is not there. */
  #start = 0;
  #end = 0;
  /** What a webhook made of it, without a resourceVersion: kept as long as this is, for it cannot be made again at once. */
  #converted: WeakMap<Resource, StoredApiObject> | undefined;
  #texts: { readonly mark: Buffer; readonly found: readonly string[] } | undefined;

  constructor(stored: StoredVersion, memory?: ViewMemory) {
    this.key = stored.key;
    this.revision = stored.revision;
    this.lease = stored.lease;
    this.#bytes = stored.value;
    this.#memory = memory;
  }

  /** How many bytes are stored. */
  get size(): number {
    return this.#bytes.length;
  }

  /** The same content as what was left when it was deleted. */
  deletedAt(revision: number): ObjectVersion {
    const { key, lease } = this;
    const deleted = new ObjectVersion({ key, value: this.#bytes, revision, lease }, this.#memory);
    deleted.#converted = this.#converted;
    return deleted;
  }

  /** What a webhook has to convert before a resource can show it; undefined when it need not, or has. */
  toConvert(resource: Resource): ApiObject | undefined {
    if (resource.converter === undefined || this.#converted?.has(resource) === true) return undefined;
    const stored = parsedObject(this.#bytes);
    return stored.apiVersion === apiVersionIn(resource) ? undefined : stored;
  }

  /** Takes over what a webhook made of it. */
  takeConverted(resource: Resource, object: StoredApiObject): void {
    this.#converted ??= new WeakMap();
    this.#converted.set(resource, object);
  }

  /** What a resource shows of it: in its version, defaulted and pruned as its schema says. Kept for the next reader. */
  as(resource: Resource): ObjectView {
    const view = this.inPassing(resource);
    this.#keep(resource, view);
    return view;
  }

  /** Takes over the object that its bytes were made of, frozen: nobody needs to decode them. */
  remember(resource: Resource, object: StoredApiObject): void {
    this.#keep(resource, new LazyView(this, resource, object));
  }

  #keep(resource: Resource, view: LazyView): void {
    if (this.#memory === undefined) return;
    this.#views ??= new Map();
    this.#views.set(resource, view);
    this.#memory.used(this, () => {
      this.#views = undefined;
    });
  }

  /** The same, but not kept: for those who read everything once. */
  inPassing(resource: Resource): LazyView {
    return this.#views?.get(resource) ?? new LazyView(this, resource);
  }

  /** Decodes it as a resource shows it. */
  decoded(resource: Resource): StoredApiObject {
    const converted = this.#converted?.get(resource);
    if (converted !== undefined) return versioned(clone(converted), this.revision);
    return decode(this.#bytes, this.revision, resource);
  }

  /** What is served of it when its kind is served as it is stored; undefined when that cannot be told from the bytes. */
  body(): readonly Uint8Array[] | undefined {
    if (this.#start === 0) {
      const place = metadataIn(this.#bytes) ?? { start: -1, end: -1 };
      this.#start = place.start;
      this.#end = place.end;
    }
    if (this.#start === -1) return undefined;
    return storedBody(this.#bytes, { start: this.#start, end: this.#end }, this.revision);
  }

  /** What is stored of it and shown to no reader (`Strategy.hidden`). */
  hidden(): Readonly<JsonObject> | undefined {
    return hiddenIn(this.#bytes);
  }

  /**
   * Whether a field of this name, wherever it is, has this text. The bytes are looked through once: every event of a pod
   * is held against the name of each node.
   */
  hasText({ mark, text }: TextTrace): boolean {
    if (this.#texts?.mark !== mark) this.#texts = { mark, found: textsAfter(this.#bytes, mark) };
    return this.#texts.found.includes(text);
  }

  /** Whether all of these are somewhere in what is stored. */
  contains(pieces: readonly Buffer[]): boolean {
    if (pieces.length === 0) return true;
    const { buffer, byteOffset, length } = this.#bytes;
    const stored = Buffer.from(buffer, byteOffset, length);
    return pieces.every((piece) => stored.includes(piece));
  }
}

/** The bytes to store for an object that is as `unversioned` leaves it: its version is the revision of the write. */
export function encodeForStore(
  object: StoredApiObject,
  { conversion }: Pick<Resource, "conversion">,
  hidden?: Readonly<JsonObject>,
): Uint8Array {
  if (hidden !== undefined) {
    // Before the metadata: readers are given what comes from there on.
    const { kind, apiVersion, ...rest } = object;
    return Buffer.from(JSON.stringify({ kind, apiVersion, hidden, ...rest }));
  }
  if (conversion === undefined) return Buffer.from(JSON.stringify(object));
  const converted = clone(object);
  conversion.toStored(converted);
  return Buffer.from(JSON.stringify(unversioned(converted)));
}

/** The same object as it is stored: its fields in that order, without a resourceVersion. */
export function unversioned({ apiVersion, kind, metadata, ...rest }: StoredApiObject): ApiObject {
  const { resourceVersion: _, ...stored } = metadata;
  return { kind, apiVersion, metadata: stored, ...rest };
}

/** An object with the revision that it was written at, in place, and frozen. */
export function versioned(object: ApiObject, revision: number): StoredApiObject {
  if (Object.isFrozen(object)) return object;
  object.metadata.resourceVersion = resourceVersion(String(revision));
  deepFreeze(object);
  return object;
}

/** Whether objects of a resource are shown as they are stored. */
export function isServedAsStored({ conversion, custom }: Pick<Resource, "conversion" | "custom">): boolean {
  return conversion === undefined && custom === undefined;
}

/** The beginning of an object's JSON that says what it is: the rest is the body of a view. */
export function typeMetaOf(resource: Resource): Uint8Array {
  const known = typeMetas.get(resource);
  if (known !== undefined) return known;
  const type = { kind: resource.kind, apiVersion: apiVersionIn(resource) };
  const made = Buffer.from(`${JSON.stringify(type).slice(0, -1)},`);
  typeMetas.set(resource, made);
  return made;
}

const typeMetas = new WeakMap<Resource, Uint8Array>();

class LazyView implements ObjectView {
  readonly #version: ObjectVersion;
  readonly #resource: Resource;
  readonly #events = new Map<`${EventEncoding} ${EventType}`, Uint8Array>();
  #object: StoredApiObject | undefined;
  #message: Uint8Array | undefined;
  #body: readonly Uint8Array[] | undefined;

  constructor(version: ObjectVersion, resource: Resource, object?: StoredApiObject) {
    this.#version = version;
    this.#resource = resource;
    this.#object = object;
  }

  get object(): StoredApiObject {
    this.#object ??= this.#version.decoded(this.#resource);
    return this.#object;
  }

  get body(): readonly Uint8Array[] {
    this.#body ??= this.#storedBody() ?? encodedBody(this.object);
    return this.#body;
  }

  get message(): Uint8Array {
    this.#message ??= builtinEncoder().message(this.#resource, this.object) ?? new Uint8Array();
    return this.#message;
  }

  event(type: EventType, encoding: EventEncoding = "json"): Uint8Array {
    const key = `${encoding} ${type}` as const;
    const known = this.#events.get(key);
    if (known !== undefined) return known;
    const made = encoding === "json" ? this.#line(type) : this.#frame(type);
    this.#events.set(key, made);
    return made;
  }

  #line(type: EventType): Uint8Array {
    return joined([
      Buffer.from(`{"type":"${type}","object":`),
      typeMetaOf(this.#resource),
      ...this.body,
      Buffer.from("}\n"),
    ]);
  }

  #frame(type: EventType): Uint8Array {
    const { kind } = this.#resource;
    return watchFrame(type, inEnvelope({ apiVersion: apiVersionIn(this.#resource), kind }, this.message));
  }

  /** Of kinds that are served as they are stored, no tree is needed. */
  #storedBody(): readonly Uint8Array[] | undefined {
    return isServedAsStored(this.#resource) ? this.#version.body() : undefined;
  }
}

/** An object's JSON without apiVersion and kind, and without the first brace. */
function encodedBody(object: StoredApiObject): readonly Uint8Array[] {
  const { apiVersion: _, kind: __, ...rest } = object;
  return [Buffer.from(JSON.stringify(rest).slice(1))];
}

function apiVersionIn({ group, version }: Resource): string {
  return group === "" ? version : `${group}/${version}`;
}

/** 500: somebody reads an object in no time that a webhook takes its time to convert. */
function notConverted(apiVersion: string, resource: Resource): StatusError {
  return internalError(
    new Error(
      `${resource.plural}.${resource.group} is stored as ${apiVersion}, and was not converted to ${apiVersionIn(resource)}`,
    ),
  );
}

/** An object as it is stored. */
function parsedObject(bytes: Uint8Array): ApiObject {
  const parsed = parseJsonExactly(new TextDecoder().decode(bytes));
  const { apiVersion, kind, metadata, ...rest } = isJsonObject(parsed) ? parsed : {};
  return {
    apiVersion: String(apiVersion),
    kind: String(kind),
    metadata: isJsonObject(metadata) ? metadata : {},
    ...rest,
  };
}

function decode(bytes: Uint8Array, revision: number, resource: Resource): StoredApiObject {
  const { apiVersion, kind: _, metadata, ...rest } = parsedObject(bytes);
  if (resource.converter !== undefined && apiVersion !== apiVersionIn(resource))
    throw notConverted(apiVersion, resource);
  if (resource.strategy.hidden !== undefined) delete rest["hidden"];
  const object: ApiObject = {
    kind: resource.kind,
    apiVersion: apiVersionIn(resource),
    metadata: { ...metadata, resourceVersion: resourceVersion(String(revision)) },
    ...rest,
  };
  resource.conversion?.fromStored(object);
  resource.custom?.read(object);
  deepFreeze(object);
  return object;
}
