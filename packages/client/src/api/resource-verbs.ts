import { apiVersionOf, isStatus, type Kind, type ObjectKey } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { call, type Call, type CallContext } from "./call.ts";
import { fromWire } from "./from-wire.ts";
import { listing } from "./listing.ts";
import { withQuery, type Query } from "../transport/query.ts";
import { roundedIntegerIn } from "../json/rounded-integer.ts";
import { collectionPath, objectPath, selectionQuery } from "./paths.ts";
import { readJson } from "../transport/read-body.ts";
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  Listing,
  ListOptions,
  ObservedWrite,
  Patch,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./types.ts";
import { watch } from "./watch.ts";

/** An object on its way to the server, as far as this file looks into it. */
export interface Outgoing {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?:
    | { readonly name?: string | undefined; readonly namespace?: string | undefined }
    | undefined;
}

const json = "application/json";

/**
 * The verbs of one kind, on the wire's own JSON: nothing is instantiated, unknown fields stay. That an answer is a
 * `T` is the server's promise; `Client.of` states it once, from the kind's descriptor.
 */
export class ResourceVerbs<T> {
  readonly kind: Kind<T>;
  readonly #context: CallContext;
  readonly #accept: { readonly one: string; readonly many: string };

  constructor(kind: Kind<T>, context: CallContext, accept = { one: json, many: json }) {
    this.kind = kind;
    this.#context = context;
    this.#accept = accept;
  }

  get(key: ObjectKey, options: GetOptions = {}, subresource?: string): Promise<T> {
    const path = withQuery(objectPath(this.kind, key, subresource), {
      resourceVersion: options.resourceVersion,
    });
    return this.#object({ method: "GET", path }, options);
  }

  list(options: ListOptions = {}): Listing<T> {
    return listing<T>({ context: this.#context, kind: this.kind, accept: this.#accept.many }, options);
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    return watch<T>(this.#context, this.kind, this.#accept.one, options);
  }

  create(object: Outgoing, options: WriteOptions = {}): Promise<T> {
    const namespace = object.metadata?.namespace;
    if (this.kind.scope === "Namespaced" && (namespace === undefined || namespace === "")) {
      throw new ClientError(
        "USAGE",
        `${this.kind.kind}: metadata.namespace must be set: ${this.kind.kind} is namespaced`,
      );
    }
    const path = withQuery(collectionPath(this.kind, namespace), writeQuery(options));
    const request = { method: "POST", path, contentType: json, body: this.#encode(object) };
    return this.#write({ verb: "create", key: undefined }, request, options);
  }

  replace(object: Outgoing, options: WriteOptions = {}, subresource?: string): Promise<T> {
    const key = this.#keyOf(object);
    const path = withQuery(objectPath(this.kind, key, subresource), writeQuery(options));
    const body = this.#encode(object);
    // Of a subresource the server takes only a part, and not what was read with it.
    if (subresource === undefined && mayHaveLarge.test(body)) this.#refuseRounded(object);
    const request = { method: "PUT", path, contentType: json, body };
    return this.#write({ verb: "replace", key, subresource }, request, options);
  }

  patch(key: ObjectKey, patch: Patch, options: WriteOptions = {}, subresource?: string): Promise<T> {
    const path = withQuery(objectPath(this.kind, key, subresource), writeQuery(options));
    return this.#write(
      { verb: "patch", key, subresource },
      { method: "PATCH", path, ...patchBody(patch) },
      options,
    );
  }

  apply(object: Outgoing, options: ApplyOptions, subresource?: string): Promise<T> {
    const key = this.#keyOf(object);
    const path = withQuery(objectPath(this.kind, key, subresource), {
      ...writeQuery(options),
      force: options.force,
    });
    const contentType = "application/apply-patch+yaml";
    const request = { method: "PATCH", path, contentType, body: this.#encode(object) };
    return this.#write({ verb: "apply", key, subresource }, request, options);
  }

  async delete(key: ObjectKey, options: DeleteOptions = {}): Promise<T | undefined> {
    const tell = this.#observe(options);
    const answer = await this.#json(deleteCall(objectPath(this.kind, key), options), options);
    tell({ kind: this.kind, verb: "delete", key, answer });
    return isStatus(answer) ? undefined : fromWire<T>(answer);
  }

  async deleteCollection(selection: Selection, options: DeleteOptions = {}): Promise<void> {
    const path = withQuery(collectionPath(this.kind, selection.namespace), selectionQuery(selection));
    await this.#json(deleteCall(path, options), options);
  }

  /** POSTs to a subresource and gives what it answers. */
  async post(
    key: ObjectKey,
    subresource: string,
    body: object,
    options: WriteOptions = {},
  ): Promise<unknown> {
    const path = withQuery(objectPath(this.kind, key, subresource), writeQuery(options));
    return this.#json({ method: "POST", path, contentType: json, body: JSON.stringify(body) }, options);
  }

  async #write(write: Told, request: Call, options: WriteOptions): Promise<T> {
    const tell = this.#observe(options);
    const answer = await this.#json(request, options);
    tell({ kind: this.kind, ...write, answer });
    return fromWire<T>(answer);
  }

  #observe({ dryRun }: WriteOptions): (write: ObservedWrite) => void {
    return dryRun === true ? () => undefined : this.#context.onWrite();
  }

  async #object(request: Call, options: CallOptions): Promise<T> {
    return fromWire<T>(await this.#json(request, options));
  }

  #json(request: Call, options: CallOptions): Promise<unknown> {
    const { dropManagedFields } = this.#context;
    return call(this.#context, { accept: this.#accept.one, ...request }, options, (answer) =>
      readJson(answer, { dropManagedFields }),
    );
  }

  /** The kind's own apiVersion and kind, unless the object says them itself. */
  #encode(object: Outgoing): string {
    const { apiVersion = apiVersionOf(this.kind), kind = this.kind.kind, ...rest } = object;
    return JSON.stringify({ apiVersion, kind, ...rest });
  }

  #refuseRounded(object: Outgoing): void {
    const path = roundedIntegerIn(object);
    if (path === undefined) return;
    throw new ClientError(
      "USAGE",
      `${this.kind.kind}: ${path.slice(1)}: an integer above 2^53 may have lost digits when it was read; patch or apply, which send only what they change`,
    );
  }

  #keyOf(object: Outgoing): ObjectKey {
    const { name, namespace } = object.metadata ?? {};
    if (name === undefined) throw new ClientError("USAGE", `${this.kind.kind}: metadata.name must be set`);
    return { name, namespace };
  }
}

/** Sixteen digits where a value begins: nearly no object has them. */
const mayHaveLarge = /[:,[]-?\d{16}/u;

type Told = Pick<ObservedWrite, "verb" | "key" | "subresource">;

function writeQuery(options: WriteOptions): Query {
  return {
    dryRun: options.dryRun === true ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

function patchBody(patch: Patch): { contentType: string; body: string } {
  if ("merge" in patch)
    return { contentType: "application/merge-patch+json", body: JSON.stringify(patch.merge) };
  if ("json" in patch)
    return { contentType: "application/json-patch+json", body: JSON.stringify(patch.json) };
  return { contentType: "application/strategic-merge-patch+json", body: JSON.stringify(patch.strategic) };
}

function deleteCall(path: string, options: DeleteOptions): Call {
  const body = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagationPolicy: options.propagation,
    preconditions: options.preconditions,
    dryRun: options.dryRun === true ? ["All"] : undefined,
  };
  return { method: "DELETE", path, contentType: json, body: JSON.stringify(body) };
}
