import type { Clock, JsonObject, Random } from "@kedge/machinery";
import type { AdmissionChain } from "../admission/chain.ts";
import type { Objects, Registry, Resource, User, WriteContext } from "../registry/types.ts";
import type { Pause } from "../request/pause.ts";
import type { WriteOptions } from "../request/query.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { Storage } from "../storage/storage.ts";

/** What all writes of a server work with. */
export interface WriteCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly registry: Registry;
  readonly storage: Storage;
  readonly objects: Objects;
  readonly admission: AdmissionChain;
}

/** Who writes what, and how. */
export interface WriteScope {
  readonly core: WriteCore;
  readonly resource: Resource;
  readonly subresource: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** As the request names it: empty for a collection, and for what is created in it. */
  readonly name: string;
  readonly user: User;
  readonly dryRun: boolean;
  /** What else the request says of the write, in the words of CreateOptions, UpdateOptions and DeleteOptions. */
  readonly options: Readonly<JsonObject>;
  /** Whether admission was asked already, of the action that this write is part of. */
  readonly isAdmitted: boolean;
  readonly warn: (text: string) => void;
  readonly pause: Pause;
  /** Adds to what the audit log tells of the request. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The scope of a request that writes. */
export function scopeOf(
  core: WriteCore,
  request: ResourceRequest,
  { dryRun, fieldManager = "" }: Pick<WriteOptions, "dryRun"> & Partial<WriteOptions>,
): WriteScope {
  const { resource, subresource, namespace, name, user, warn, pause, annotate, signal } = request;
  const place = { resource, subresource, namespace, name };
  // As it was sent: admission is not told what it means when nothing is said.
  const fieldValidation = request.query.get("fieldValidation") ?? "";
  const options = {
    ...(fieldManager !== "" && { fieldManager }),
    ...(fieldValidation !== "" && { fieldValidation }),
  };
  return { core, ...place, user, dryRun, options, isAdmitted: false, warn, pause, annotate, signal };
}

/** What hooks of a strategy get to know of a write. */
export function contextOf({ core, user, dryRun, warn }: WriteScope): WriteContext {
  return { user, clock: core.clock, random: core.random, objects: core.objects, dryRun, warn };
}
