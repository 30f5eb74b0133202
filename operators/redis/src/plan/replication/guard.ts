import type { AnsweringServer } from "../../server-view.ts";
import { isInSync, targetOf } from "./admissions.ts";
import type { ReplicationAction, ReplicationFacts } from "./types.ts";

/** What is done, and when to look again. */
export interface GuardPlan {
  readonly actions: readonly ReplicationAction[];
  readonly again: number | undefined;
}

/** With fewer replicas than this, one that fails while no operator runs would stop all writes. */
const fewestReplicas = 2;
/** Seconds: a replica that is further behind than this is about to count as none. */
const worryingLag = 3;

/**
 * Whether a primary refuses writes that no replica has. One that is cut off from all others then stops after a few
 * seconds: what it acknowledges meanwhile is all that can be lost. It is let off in time when its replicas fail, because
 * whoever can tell it so also knows that it is not the one that is cut off.
 */
export function planGuard(
  primary: AnsweringServer | undefined,
  all: readonly AnsweringServer[],
  { durability, isGuardOurs }: Pick<ReplicationFacts, "durability" | "isGuardOurs">,
): GuardPlan {
  if (!isGuardOurs) return { actions: [], again: undefined };
  const inSync = primary === undefined ? [] : all.filter((server) => isInSync(server, primary));
  const isWanted = durability === "normal" && isSafe(primary, inSync.length);
  const actions = all
    .filter(({ answer }) => answer.record.isAdmitted && !answer.facts.isLoading)
    .flatMap((server): readonly ReplicationAction[] => {
      // Who does not serve must not begin with it when it comes to.
      const wanted = isWanted && server === primary;
      if (server.answer.facts.isGuarded === wanted) return [];
      return [{ type: "guard writes", server: targetOf(server), replicas: wanted ? 1 : 0 }];
    });
  const isWatched = primary?.answer.facts.isGuarded === true && inSync.length < fewestReplicas;
  return { actions, again: isWatched ? 1000 : undefined };
}

/** Once it is guarded, its own view counts, too: the operator may be cut off from the replicas alone. */
function isSafe(primary: AnsweringServer | undefined, inSync: number): boolean {
  if (primary === undefined) return false;
  const { isGuarded, followers } = primary.answer.facts;
  const near = followers.filter(({ state, lagSeconds }) => state === "online" && lagSeconds <= worryingLag);
  return isGuarded ? Math.max(inSync, near.length) >= fewestReplicas : inSync >= fewestReplicas;
}
