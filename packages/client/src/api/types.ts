import type {
  DeepReadonly,
  Draft,
  JsonPatchOperation,
  KeyIn,
  Kind,
  KubeList,
  ObjectKey,
  ObjectMeta,
  ResourceVersion,
  Scope,
  Uid,
} from "@kedge/machinery";
import type { Warning } from "./warnings.ts";

/** What every call takes. */
export interface CallOptions {
  /** Aborting it ends the call with a `ClientError` of code ABORTED. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, retries and the answer's body included. Default 30 000; lists 60 000. */
  readonly timeout?: number | undefined;
  /** Called for each warning of the server's; default: the client's own `onWarning`. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/** Options of a read. */
export interface GetOptions extends CallOptions {
  /** "0": any version, from the server's cache. Absent: the newest. */
  readonly resourceVersion?: string | undefined;
}

/** Which objects are meant. */
export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** `app=redis,tier!=cache`, or labels that must all be equal. */
  readonly labelSelector?: string | Readonly<Record<string, string>> | undefined;
  /** `status.phase=Running` */
  readonly fieldSelector?: string | undefined;
}

/** Options of a list. */
export interface ListOptions extends CallOptions, Selection {
  /** Objects per request. Default 500; 0 asks for all at once. */
  readonly pageSize?: number | undefined;
  /** Where an earlier page said to go on. */
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact" | undefined;
}

/** Options of a watch. `timeout` bounds the wait for the stream's beginning, not the stream. */
export interface WatchOptions extends CallOptions, Selection {
  /** Events after this version. Absent or "0": what exists first, as ADDED events. */
  readonly resourceVersion?: string | undefined;
  /** Ask for BOOKMARK events. Default true. */
  readonly bookmarks?: boolean | undefined;
  /** Begin with all objects, then a bookmark that says so, then go on: a list and a watch in one. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Seconds after which the server ends the stream. */
  readonly timeoutSeconds?: number | undefined;
  /** Milliseconds of silence after which the stream counts as lost. Servers send a bookmark a minute. Default none. */
  readonly idleTimeout?: number | undefined;
  /** Called when the server has agreed to the watch: the first event may be long in coming. */
  readonly onOpen?: (() => void) | undefined;
}

/** One event of a watch. An ERROR event is thrown as a `StatusError` instead. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: ResourceVersion;
      /** True on the bookmark that ends the initial events. */
      readonly initialEventsEnd: boolean;
    };

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /** Run all checks, store nothing. */
  readonly dryRun?: boolean | undefined;
  /** Who owns the written fields. Default: the user agent up to its slash. */
  readonly fieldManager?: string | undefined;
  /** What to do about unknown and duplicate fields. Server's default: Warn. */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
}

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields over that others own. */
  readonly force?: boolean | undefined;
}

/** Options of a deletion. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects it owns. */
  readonly propagation?: "Foreground" | "Background" | "Orphan" | undefined;
  /** Delete only this very object, or only this version of it. */
  readonly preconditions?: { readonly uid?: Uid; readonly resourceVersion?: ResourceVersion } | undefined;
}

/** A write that the server has carried out, as `Client.observed` tells it. Collections and dry runs are not told. */
export interface ObservedWrite {
  readonly kind: Kind<unknown>;
  readonly verb: "create" | "replace" | "patch" | "apply" | "delete";
  /** Undefined for what the server may have named. */
  readonly key: ObjectKey | undefined;
  /** Which part was written; undefined: the object itself. */
  readonly subresource?: string | undefined;
  /** The object as it is now. Of a deletion: the object when it may still be there, else a `Status`. */
  readonly answer: unknown;
}

/** Called when a write is about to be sent; the result is called when it was carried out, before its caller is told. */
export type WriteObserver = () => (write: ObservedWrite) => void;

/** A patch, by its kind. CRDs know no strategic merge. */
export type Patch =
  | { readonly merge: object }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: object };

/** An object to be written under a name it already has. */
export type Named<T> = T & { metadata: { name: string } };

/** Every field optional: what server-side apply sends. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T;

/** The fields that a manager wants to own. */
export type ApplyObject<T> = Named<
  DeepPartial<Omit<T, "apiVersion" | "kind" | "metadata">> & {
    apiVersion?: string;
    kind?: string;
    metadata: ObjectMeta;
  }
>;

/** A list that is read page by page, as far as it is iterated. */
export interface Listing<T> extends AsyncIterable<T> {
  /** Page by page, with each page's metadata. */
  pages(): AsyncIterable<KubeList<T>>;
  /** All of it at one version, as one list. Begins anew without pages when the server forgot the version. */
  all(): Promise<KubeList<T>>;
}

/** The verbs of one kind. */
export interface ResourceClient<T, S extends Scope> {
  readonly kind: Kind<T, S>;
  get(key: KeyIn<S>, options?: GetOptions): Promise<T>;
  list(options?: ListOptions): Listing<T>;
  /** Ends when the server ends the stream; throws when it breaks. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create(object: DeepReadonly<Draft<T>>, options?: WriteOptions): Promise<T>;
  replace(object: DeepReadonly<Named<Draft<T>>>, options?: WriteOptions): Promise<T>;
  patch(key: KeyIn<S>, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: DeepReadonly<ApplyObject<T>>, options: ApplyOptions): Promise<T>;
  /** Gives the object when it is still there, waiting for finalizers or its grace period; undefined when it is gone. */
  delete(key: KeyIn<S>, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection(selection: Selection, options?: DeleteOptions): Promise<void>;
}

/** The verbs of a subresource that reads and writes the whole object, `status` above all. */
export interface PartClient<T, S extends Scope> {
  get(key: KeyIn<S>, options?: GetOptions): Promise<T>;
  replace(object: DeepReadonly<Named<Draft<T>>>, options?: WriteOptions): Promise<T>;
  patch(key: KeyIn<S>, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: DeepReadonly<ApplyObject<T>>, options: ApplyOptions): Promise<T>;
}

/** The metadata of any object: what `metadataOf` reads. */
export interface PartialObjectMetadata<M> {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadata";
  metadata: M;
}
