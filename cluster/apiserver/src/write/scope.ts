import type { Clock, Random } from "@kedge/machinery";
import type { Objects, Registry, Resource, User, WriteContext } from "../registry/types.ts";
import type { Pause } from "../request/pause.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { Storage } from "../storage/storage.ts";

/** What all writes of a server work with. */
export interface WriteCore {
  readonly clock: Clock;
  readonly random: Random;
  readonly registry: Registry;
  readonly storage: Storage;
  readonly objects: Objects;
}

/** Who writes what, and how. */
export interface WriteScope {
  readonly core: WriteCore;
  readonly resource: Resource;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
  readonly pause: Pause;
}

/** The scope of a request that writes. */
export function scopeOf(core: WriteCore, request: ResourceRequest, dryRun: boolean): WriteScope {
  const { resource, user, warn, pause } = request;
  return { core, resource, user, dryRun, warn, pause };
}

/** What hooks of a strategy get to know of a write. */
export function contextOf({ core, user, dryRun, warn }: WriteScope): WriteContext {
  return { user, clock: core.clock, random: core.random, objects: core.objects, dryRun, warn };
}
