import type {
  ApiRequest,
  ApiResponse,
  Clock,
  FieldError,
  GroupVersionKind,
  JsonObject,
  MessageStream,
  ObjectKey,
  Random,
  Scope,
  Steps,
  TypeSchema,
  UpgradeRequest,
} from "@kedge/machinery";
import type { ApiObject, StoredApiObject, User } from "./api-object.ts";
import type { TableDefinition } from "./table-definition.ts";

export type { ApiObject, StoredApiObject, User };

/** What discovery says can be done with a resource. */
export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/**
 * One served resource: a kind in one version. Built-in ones are data made in `kinds/`, custom ones are made of their
 * CRD in `custom/`; everything else treats them alike.
 */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: Scope;
  readonly verbs: readonly Verb[];
  /** Keys are `/registry/<storage>/<namespace>/<name>`; versions of one kind share it. `pods`, `apps/deployments`. */
  readonly storage: string;
  /** What its objects are stored as, when that is not this version. */
  readonly storedAs?: GroupVersionKind | undefined;
  /** The structure of its objects: how lists and maps in them are merged, and who may own what of them. */
  readonly schema: TypeSchema;
  /** For `serverSideApply` of built-in kinds: `zeroObject(…)`. Undefined for custom ones. */
  readonly emptyObject?: unknown;
  /** Set for custom resources: what decides about unknown fields, defaults and pruning when a body is decoded. */
  readonly custom?: CustomDecoder | undefined;
  /** For custom resources: `openAPIV3Schema` of the version, as its definition has it, for `/openapi/v3`. */
  readonly openapi?: unknown;
  /** Set for custom resources whose versions a webhook makes of each other. */
  readonly converter?: Converter | undefined;
  /** The text of a `Warning` header on every answer, when this version of a custom kind is deprecated. */
  readonly deprecationWarning?: string | undefined;
  /** For versions of a kind that share a storage and do not look alike (events). In place; type and version are set. */
  readonly conversion?: {
    readonly toStored: (object: ApiObject) => void;
    readonly fromStored: (object: ApiObject) => void;
  };
  readonly strategy: Strategy;
  readonly table: TableDefinition;
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Set for what is not stored but found out when somebody asks: get and list only. */
  readonly computed?: Computed | undefined;
  /** Set for what is sent to be answered and never stored: create only. */
  readonly review?: Review | undefined;
}

/** Answers a review: with itself and its status, mostly. It belongs to the request. Throws a `StatusError`. */
export type Review = (review: ApiObject, context: WriteContext) => ApiObject | Promise<ApiObject>;

/** Finds out what there is: all of a namespace, of all when it is empty, or the one of a name. */
export type Computed = (
  objects: Objects,
  key: { readonly namespace: string; readonly name: string },
) => Promise<readonly StoredApiObject[]>;

/** Custom resources: structural schemas at work when an object is decoded from a request or from the store. */
export interface CustomDecoder {
  /**
   * Drops unknown fields in place, and names them (`spec.bogus`) for `fieldValidation`, in this order. Throws in the
   * server's words when an embedded object's metadata cannot be decoded.
   */
  prune(object: ApiObject): readonly string[];
  /** Fills in the schema's defaults in place. */
  default(object: ApiObject): void;
  /**
   * Brings an object out of the store into this version, in place: pruned and filled in as the stored version says, then
   * pruned as this one says. Never throws.
   */
  read(object: ApiObject): void;
  /**
   * Leaves of a checked object what will be read of it, in place, when it is stored in another version: what that
   * version does not know is lost, but it is checked, admitted and owned before.
   */
  settle?(object: ApiObject): void;
}

/** Makes objects of one version of a custom resource those of another. */
export interface Converter {
  /** The apiVersion in which objects are stored from now on; those that are stored may be in others. */
  readonly stored: string;
  /** Objects in another version, in their order. Rejects with a `StatusError`. What it is given stays as it is. */
  convert(objects: readonly StoredApiObject[], apiVersion: string): Promise<readonly ApiObject[]>;
}

/** What hooks may use. */
export interface WriteContext {
  readonly user: User;
  readonly clock: Clock;
  readonly random: Random;
  readonly objects: Objects;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
}

/**
 * What is particular about a kind. The generic verbs do the rest: names, uid, timestamps, resourceVersion, generation
 * (by comparing everything but metadata and status), managedFields, finalizers, preconditions, namespaces that exist.
 *
 * Order on create: decode → `default` → mutating admission → name, metadata → `prepareForCreate` → `allocate` →
 * `default` → `validate` → `warnings` → validating admission → store.
 * Order on update and patch: decode → `default` → mutating admission → `prepareForUpdate` → `allocate` → `default` →
 * `validate`, `validateUpdate` → `warnings` → validating admission → store.
 * Order on delete: both halves of admission → `gracePeriod` → `prepareForDelete` → store.
 */
export interface Strategy {
  /** Fills in what the kind's writers may leave out, in place. Also for objects inside it (pod templates). */
  readonly default?: (object: ApiObject) => void;
  /** Drops what a creator may not set (`status`), sets what only the server sets. In place. */
  readonly prepareForCreate?: (object: ApiObject, context: WriteContext) => void;
  /** Keeps what an update may not change (`status` of a kind with that subresource). In place. */
  readonly prepareForUpdate?: (object: ApiObject, previous: StoredApiObject, context: WriteContext) => void;
  /** Takes what the object needs of what all objects share (addresses of services). In place. No `previous` on create. */
  readonly allocate?: (
    object: ApiObject,
    previous: StoredApiObject | undefined,
    context: WriteContext,
  ) => void;
  /**
   * All that is wrong with the object by itself. Metadata is checked by the generic verbs (`nameRule`). On update and
   * patch `previous` is what is replaced: kinds may tolerate what was wrong before (custom resources do). In steps where
   * it takes long (definitions, rules of custom resources). `warn` tells the writer of what is tolerated.
   */
  readonly validate?: (
    object: StoredApiObject,
    previous?: StoredApiObject,
    warn?: (text: string) => void,
  ) => readonly FieldError[] | Steps<readonly FieldError[]>;
  /** All that is wrong with changing it so. */
  readonly validateUpdate?: (object: StoredApiObject, previous: StoredApiObject) => readonly FieldError[];
  /** What a writer should know of an object that is right but odd; asked after validation, each becomes a `warn`. */
  readonly warnings?: (object: StoredApiObject, previous: StoredApiObject | undefined) => readonly string[];
  /**
   * Maps at the top of the object of which one that is sent empty is something else than none to `validate` on update
   * (`data` of an immutable Secret). Neither survives the store.
   */
  readonly emptyCounts?: readonly string[];
  /** What is stored and shown to no reader, but is there for the next write. */
  readonly hidden?: HiddenFields;
  /** What is wrong with a name, in Kubernetes' words. Default: `validateDns1123Subdomain`. */
  readonly nameRule?: (name: string) => readonly string[];
  /** Fields beside metadata.name and metadata.namespace that selectors may name: name → value as text. */
  readonly selectableFields?: (object: StoredApiObject) => Readonly<Record<string, string>>;
  /** Which of them exist at all, for objects or none. Must have the keys of `selectableFields`. */
  readonly selectableFieldNames?: readonly string[];
  /** What is said of other fields in a selector, when it is not the usual text. */
  readonly unknownField?: (field: string) => string;
  /**
   * How `metadata.generation` moves. Default `spec`: 1, and one more when anything but metadata and status changes;
   * `late`: there is none before the first change; a function says by itself whether a change counts (annotations of a Deployment do, binding a Pod does not).
   */
  readonly generation?:
    | "spec"
    | "late"
    | "none"
    | ((object: StoredApiObject, previous: StoredApiObject) => boolean);
  /** The group that refusals of objects name, when it is not the resource's own: that of the kind which is stored. */
  readonly refusedGroup?: string;
  /** PUT creates what does not exist. Default false. */
  readonly createOnUpdate?: boolean;
  /** PUT without resourceVersion overwrites. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** Seconds until the object goes, for kinds that wait for someone (pods: for their node). Undefined or 0: at once. */
  readonly gracePeriod?: (object: StoredApiObject, asked: number | undefined) => number | undefined;
  /** Deletion that needs more than finalizers (namespaces, CRDs): in place, before it is stored. */
  readonly prepareForDelete?: (object: ApiObject, context: WriteContext) => void;
  /** While it holds, the object is not removed, finalizers or not (`spec.finalizers` of a namespace). */
  readonly holdsDeletion?: (object: StoredApiObject) => boolean;
  /**
   * Its dependents outlive it when a request does not say what becomes of them (kinds that are older than the garbage
   * collector); jobs warn of it. Absent: they go with it.
   */
  readonly orphansByDefault?: { readonly warning?: string };
  /** Whether DELETE answers with the object even when it went at once (pods, namespaces, CRDs, …). Default false: a Status. */
  readonly deleteAnswersObject?: boolean;
  /** After it was stored or removed: indexes and allocators. Never throws. */
  readonly stored?: (object: StoredApiObject) => void;
  readonly removed?: (object: StoredApiObject) => void;
  /** Seconds until it goes by itself (events: 3600). */
  readonly ttl?: number;
}

/** Fields that are stored and not shown (those of a service that its type has no use for). */
export interface HiddenFields {
  /** An object without them, and they, one field with a text; undefined when it has none. What is given stays as it is. */
  split(
    object: ApiObject,
  ): { readonly shown: ApiObject; readonly hidden: Readonly<Record<string, string>> } | undefined;
  /** The object with them again. */
  join(shown: StoredApiObject, hidden: Readonly<JsonObject>): ApiObject;
}

/** What a path below an object does. */
export type Subresource = PartSubresource | ScaleSubresource | ActionSubresource | ConnectSubresource;

/** Another view of the same object, written by itself: `status`, `finalize`, `resize`, `ephemeralcontainers`. */
export interface PartSubresource {
  readonly type: "part";
  readonly verbs: readonly ("get" | "patch" | "update")[];
  /**
   * The fields beside metadata that this part writes, if it leaves all others as they are: those are shared with what
   * is stored, and frozen, as soon as an object is decoded.
   */
  readonly writes?: readonly string[];
  /** Takes over from `previous` what this part may not write. In place. */
  readonly prepareForUpdate: (object: ApiObject, previous: StoredApiObject, context: WriteContext) => void;
  /** Metadata that `prepareForUpdate` takes over, too: writers of this part never own it. Default: none. */
  readonly keepsMetadata?: readonly string[];
  /** Whether writes of this part never move `metadata.generation`, whatever they change. Default: they do as others. */
  readonly keepsGeneration?: boolean;
  /** Default: the strategy's `validate`. */
  readonly validate?: Strategy["validate"];
  readonly validateUpdate?: (
    object: StoredApiObject,
    previous: StoredApiObject,
    warn?: (text: string) => void,
  ) => readonly FieldError[] | Steps<readonly FieldError[]>;
}

/** autoscaling/v1 Scale over an object; paths are those of a CRD: `.spec.replicas`. */
export interface ScaleSubresource {
  readonly type: "scale";
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The selector as text, computed from the object; or by path for custom resources. */
  readonly selector: (object: StoredApiObject) => string | undefined;
}

/** A POST that does something (binding, eviction, token): answers an object, a Status mostly. */
export interface ActionSubresource {
  readonly type: "action";
  /** Group, version and kind of the body, as discovery and decoding need it. */
  readonly body: { readonly group: string; readonly version: string; readonly kind: string };
  /** Versions of the body that look the same and are taken, too. Default: none. */
  readonly olderVersions?: readonly string[];
  readonly run: (
    key: ObjectKey,
    body: ApiObject,
    context: WriteContext,
  ) => Promise<{ readonly status: number; readonly object: ApiObject }>;
}

/** A stream to the node that runs the pod: `log`, `exec`, `attach`, `portforward`. */
export interface ConnectSubresource {
  readonly type: "connect";
  readonly verbs: readonly ("create" | "delete" | "get" | "patch" | "update")[];
  /** The name of the object in what the path names, where that is more (`https:web:8443`). Default: the same. */
  readonly objectName?: (name: string) => string;
  /** Kind of the options, for discovery: `PodExecOptions`. `log` has the kind `Pod`. */
  readonly optionsKind: string;
  /** The options in the query, for admission. Absent for what only reads (`log`), of which admission is not asked. */
  readonly options?: (query: URLSearchParams) => Readonly<JsonObject>;
  readonly connect?: (target: ConnectTarget, request: ApiRequest) => Promise<ApiResponse>;
  readonly upgrade?: (target: ConnectTarget, request: UpgradeRequest) => Promise<MessageStream | ApiResponse>;
}

/** The object that a stream leads to. */
export interface ConnectTarget {
  /** As the path names it. */
  readonly name: string;
  readonly object: StoredApiObject;
  readonly objects: Objects;
  readonly query: URLSearchParams;
}

/** Which resources are served now. Changes when CRDs come and go. */
export interface Registry {
  resource(group: string, version: string, plural: string): Resource | undefined;
  /** The resource of a kind, in its preferred version unless one is named. */
  byKind(group: string, kind: string, version?: string): Resource | undefined;
  all(): readonly Resource[];
  /** Grows with every change: etags of discovery and OpenAPI. */
  readonly generation: number;
  /** Serves these, and no longer those. */
  replace(remove: readonly Resource[], add: readonly Resource[]): void;
  onChange(listener: () => void): () => void;
}

/** A way to read all objects of a server, in no time: from its caches. */
export interface ObjectReader {
  readonly registry: Registry;
  /** At least as new as every write that was answered. */
  get(resource: Resource, key: ObjectKey): StoredApiObject | undefined;
  list(resource: Resource, namespace?: string): readonly StoredApiObject[];
  /** Called after each stored change, in order. */
  onChange(resource: Resource, listener: (change: ObjectChange) => void): () => void;
}

/** The server's own way to its objects: past authentication and authorization, through everything else. */
export interface Objects extends ObjectReader {
  create(resource: Resource, object: ApiObject, options?: ObjectsOptions): Promise<StoredApiObject>;
  /**
   * Reads, changes a copy in place, and writes if it is different; again when another writer was faster. `change` may
   * return false to leave it. Through `subresource` when named, or through a `part` that has no path of its own, for
   * actions that write what no request may (binding). Throws NotFound when it is not there.
   */
  update(
    resource: Resource,
    key: ObjectKey,
    change: (object: ApiObject) => boolean | undefined,
    options?: ObjectsOptions & {
      readonly subresource?: string;
      readonly part?: PartSubresource;
      /** Whether managedFields say that the server has written. Default true. */
      readonly isTracked?: boolean;
    },
  ): Promise<StoredApiObject>;
  delete(resource: Resource, key: ObjectKey, options?: ObjectsOptions & DeletePreferences): Promise<void>;
}

/** How the server writes. */
export interface ObjectsOptions {
  /** Who does it. Default: the server itself. */
  readonly user?: User;
  readonly dryRun?: boolean;
  /** Whether admission was asked already, of the action that this write is part of. Default false. */
  readonly isAdmitted?: boolean;
  /** What the write is known by in managedFields. Default `kube-apiserver`. */
  readonly manager?: string;
}

/** How to delete. */
export interface DeletePreferences {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** One stored change. */
export type ObjectChange =
  | {
      readonly type: "stored";
      readonly object: StoredApiObject;
      readonly previous: StoredApiObject | undefined;
    }
  | { readonly type: "removed"; readonly object: StoredApiObject };
