import type { Clock, GroupVersionKind, JsonObject, Random } from "@kedge/machinery";
import type { Reinvocation } from "./reinvocation.ts";
import type { ApiObject, Objects, Resource, StoredApiObject, User } from "../registry/types.ts";

/**
 * A plug-in of admission: what decides about a request after authorization, knowing the object.
 *
 * All plug-ins admit before the kind's own validation, and all validate after it: an object that is validated is the one
 * that is stored. When a webhook or a policy has changed the object, all admit once more. On update and delete both are asked again when another writer was faster. A plug-in that has nothing to
 * do with a request returns at once; one that returns no promise costs no turn of the event loop.
 */
export interface AdmissionPlugin {
  /** Kubernetes' name of it: `NamespaceLifecycle`. */
  readonly name: string;
  /** Which operations it is asked about at all. */
  readonly operations: readonly Operation[];
  /** May change the object in place, or refuse by throwing a `StatusError` (`refusal` makes the usual one). */
  readonly admit?: (request: AdmissionRequest, context: AdmissionContext) => Promise<void> | void;
  /** May refuse by throwing a `StatusError`, and changes nothing. */
  readonly validate?: (
    request: AdmissionRequest<StoredApiObject>,
    context: AdmissionContext,
  ) => Promise<void> | void;
}

/** What is done. A patch is an update, or a create when it applies what was not there; connect is exec and its like. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What somebody wants to be done with an object. */
export interface AdmissionRequest<T extends StoredApiObject = ApiObject> {
  readonly operation: Operation;
  /** The resource that the path names. */
  readonly resource: Resource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Of `object` and `oldObject`: that of the resource, or of what the subresource takes (Scale, Eviction, PodExecOptions). */
  readonly kind: GroupVersionKind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** As the request names it: empty for each object of a collection, and while a name is yet to be generated. */
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions of the request; empty for a connection, whose options are the object. */
  readonly options: Readonly<JsonObject>;
  /** What is to be, with its defaults. Undefined when it is deleted. */
  readonly object: T | undefined;
  /** What is there. Undefined when it is created or connected to. */
  readonly oldObject: StoredApiObject | undefined;
}

/** What plug-ins work with. */
export interface AdmissionContext {
  /** All objects of the server, at least as new as every write that was answered. */
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
  /** Adds to what the audit log tells of the request; absent when it tells nothing. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** When the request has to be answered, by the monotonic clock. */
  readonly deadline: number;
  /** Whether the mutating half is asked again, and what plug-ins remember of the first time. */
  readonly reinvocation: Reinvocation;
}
