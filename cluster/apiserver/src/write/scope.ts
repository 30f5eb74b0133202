import type { Core } from "../core.ts";
import type { Pause } from "../request/pause.ts";
import type { Resource, User, WriteContext } from "../registry/types.ts";

/** Who writes what, and how. */
export interface WriteScope {
  readonly core: Core;
  readonly resource: Resource;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
  readonly pause: Pause;
}

/** What hooks of a strategy get to know of a write. */
export function contextOf({ core, user, dryRun, warn }: WriteScope): WriteContext {
  return { user, clock: core.clock, random: core.random, objects: core.objects, dryRun, warn };
}
