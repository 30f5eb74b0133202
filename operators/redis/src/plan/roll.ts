import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { answering, isAnswering, type ServerView } from "../server-view.ts";
import { isInSync } from "./replication/admissions.ts";

/** What a roll is decided on. */
export interface RollFacts {
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  readonly servers: readonly ServerView[];
  /** The pod that takes writes. */
  readonly primary: string;
  /** How many pods there are to be. */
  readonly wanted: number;
}

/** The template that pods are to have; undefined while the StatefulSet's controller has not looked at the newest. */
export function currentRevision(statefulSet: DeepReadonly<StatefulSet> | undefined): string | undefined {
  const { metadata, status } = statefulSet ?? {};
  const isSeen = (status?.observedGeneration ?? -1) >= (metadata?.generation ?? 0);
  return isSeen ? status?.updateRevision : undefined;
}

/**
 * The next pod to be replaced by one of the newest template, one at a time: first what does not work anyway, then
 * replicas from the highest ordinal down, when everybody else works and is in sync, and the primary as the last, when it
 * is the primary no more. A new pod that does not come to work stops the roll there.
 */
export function nextToReplace(facts: RollFacts): ServerView | undefined {
  const { servers, primary, wanted } = facts;
  const revision = currentRevision(facts.statefulSet);
  if (revision === undefined || servers.some(({ isDeleting }) => isDeleting)) return undefined;
  const outdated = servers.filter(
    (server) => server.revision !== undefined && server.revision !== revision && server.ordinal < wanted,
  );
  const broken = outdated.findLast(({ isReady, answer }) => !isReady && answer === undefined);
  if (broken !== undefined) return broken;
  if (servers.length < wanted || servers.some(({ isReady }) => !isReady)) return undefined;
  const head = servers.find(({ pod }) => pod === primary);
  const all = answering(servers);
  // When nobody answers us, readiness is all that is known; it tells that replicas were in sync.
  if (isAnswering(head) && all.some((server) => server !== head && !isInSync(server, head))) return undefined;
  if (all.length > 0 && all.length < servers.length) return undefined;
  const replica = outdated.findLast(({ pod }) => pod !== primary);
  if (replica !== undefined) return replica;
  // A primary with replicas hands over first.
  const isAlone = servers.length === 1 || all.length === 0;
  return isAlone ? outdated[0] : undefined;
}
