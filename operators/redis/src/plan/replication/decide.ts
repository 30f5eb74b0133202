import { electingReplicas } from "../../config/durability.ts";
import { reaches } from "../../engine/history.ts";
import type { ReplicationStatus } from "../../kind.ts";
import { hostOf, namesOf } from "../../names.ts";
import { answering, isAnswering, type AnsweringServer, type ServerView } from "../../server-view.ts";
import { candidatesFor, isRestarted } from "./candidates.ts";
import { evidenceAgainst, savingMs } from "./evidence.ts";
import type { LostPrimary, ReplicationFacts, ReplicationTrouble } from "./types.ts";

/** Who is to be the primary. */
export type Decision =
  /** As the status says. */
  | { readonly type: "keep"; readonly trouble?: ReplicationTrouble; readonly again?: number }
  /** Another epoch, with this primary. */
  | {
      readonly type: "take";
      readonly primary: string;
      readonly epoch: number;
      readonly cause: string;
      /** The old primary hangs: it is stopped first. */
      readonly stop?: ServerView;
      /** It is taken because this one does not answer: the primary's pod as it was seen. */
      readonly lost?: LostPrimary;
    };

/** How long a restarted server waits for a primary that had more, in seconds. */
const restartPatience = 15;
const soon = 200;

/** Decides who is the primary. Planned changes are not decided here. */
export function decidePrimary(facts: ReplicationFacts): Decision {
  const { status, servers, promote } = facts;
  const all = answering(servers);
  if (status === undefined) return decideFirst(facts, all);
  const newest = Math.max(0, ...all.map(({ answer }) => answer.record.epoch));
  if (newest > status.epoch) {
    const recorded = all.find(({ answer }) => isPrimaryOf(answer.record.data, newest));
    return take(
      newest + 1,
      recorded?.pod ?? status.primary,
      "The servers knew a newer epoch than the status.",
    );
  }
  const forced = all.find(({ pod, answer }) => pod === promote && !answer.facts.isLoading);
  if (forced !== undefined && forced.pod !== status.primary)
    return take(status.epoch + 1, forced.pod, "It was asked for, whatever is lost.");
  const primary = servers.find(({ pod }) => pod === status.primary);
  return isAnswering(primary) ? judgeAnswering(primary, facts, status) : judgeSilent(facts, status);
}

/** An instance whose status says nothing: a new one, or one whose servers are older than its object. */
function decideFirst(
  { instance, isNew, servers, wanted }: ReplicationFacts,
  all: readonly AnsweringServer[],
): Decision {
  const { primaryPod } = namesOf(instance.name);
  if (isNew) return take(1, primaryPod, "The instance is new.");
  const newest = Math.max(0, ...all.map(({ answer }) => answer.record.epoch));
  const recorded = all.find(({ answer }) => isPrimaryOf(answer.record.data, newest));
  if (newest > 0 && recorded !== undefined)
    return take(newest + 1, recorded.pod, "It was the primary before.");
  const [serving] = all
    .filter(({ answer: { facts } }) => facts.role === "primary" && !facts.isLoading)
    .toSorted((one, other) => other.answer.facts.followers.length - one.answer.facts.followers.length);
  if (serving !== undefined) return take(newest + 1, serving.pod, "It was the primary before.");
  // When all are there, and none was a primary, it is the one that has most.
  const isWhole = all.length === servers.length && servers.length >= wanted;
  const [best] = candidatesFor({}, all);
  return isWhole && best !== undefined && all.every(({ answer }) => !answer.facts.isLoading)
    ? take(newest + 1, best.pod, "No server was the primary, and it has most.")
    : { type: "keep" };
}

function judgeAnswering(
  primary: AnsweringServer,
  facts: ReplicationFacts,
  status: ReplicationStatus,
): Decision {
  const { answer } = primary;
  const others = answering(facts.servers).filter(({ pod }) => pod !== primary.pod);
  if (answer.facts.isLoading) return { type: "keep", again: soon };
  const isAdmitted = answer.record.isAdmitted && answer.record.epoch === status.epoch;
  if (isAdmitted && answer.facts.role === "primary") return { type: "keep" };
  if (isAdmitted) {
    // Handed over, by us or by hand.
    const other = others.find((one) => one.answer.facts.role === "primary" && !one.answer.facts.isLoading);
    const has = answer.facts.history;
    if (other !== undefined && reaches(other.answer.facts.history, has))
      return take(status.epoch + 1, other.pod, `${primary.pod} has handed over.`);
    return { type: "keep" };
  }
  const serving = others.find((other) => isStillServing(other, primary, status));
  if (serving !== undefined)
    return take(status.epoch + 1, serving.pod, `${serving.pod} goes on: ${primary.pod} had not taken over.`);
  const candidates = candidatesFor(status, others);
  const better = candidates.find((other) => isBetter(other, primary));
  if (better !== undefined && !isQuorum(candidates.length, facts))
    return tooFew(facts, primary.pod, candidates);
  if (better !== undefined)
    return take(
      status.epoch + 1,
      better.pod,
      `${primary.pod} was restarted with less data than others have.`,
    );
  const hasLess = answer.facts.keys === 0 && others.some((other) => other.answer.facts.keys > 0);
  // Its volume is another one, and who could have the data does not answer.
  const isBlank = answer.facts.keys === 0 && answer.record.data === undefined && (status.served ?? 0) > 0;
  if (!hasLess && !(isBlank && !isWholeAndEmpty(facts))) return { type: "keep" };
  return { type: "keep", trouble: held(facts, primary.pod, others), again: 1000 };
}

/**
 * The primary of before, which was given up and came back before the one of this epoch was admitted to it: nobody else
 * has taken writes, and that one still follows it.
 */
function isStillServing(
  other: AnsweringServer,
  primary: AnsweringServer,
  { epoch, served = 0 }: ReplicationStatus,
): boolean {
  const [theirs, own] = [other.answer, primary.answer];
  return (
    served < epoch &&
    own.record.isAdmitted &&
    theirs.facts.role === "primary" &&
    !theirs.facts.isLoading &&
    isPrimaryOf(theirs.record.data, theirs.record.epoch) &&
    theirs.record.epoch >= own.record.epoch &&
    reaches(theirs.facts.history, own.facts.history)
  );
}

/** A server that goes on with data which a restarted primary may not have any more. */
function isBetter(other: AnsweringServer, primary: AnsweringServer): boolean {
  if (other.answer.facts.keys === 0) return false;
  if (primary.answer.facts.keys === 0) return true;
  if (primary.answer.record.data === undefined) return other.answer.record.data !== undefined;
  // The append-only file has all that a replica can have; a snapshot has what there was when it was written.
  return !primary.answer.facts.persistence.appendOnly && !isRestarted(other);
}

function isWholeAndEmpty({ servers }: ReplicationFacts): boolean {
  const all = answering(servers);
  return all.length === servers.length && all.every(({ answer }) => answer.facts.keys === 0);
}

function judgeSilent(facts: ReplicationFacts, status: ReplicationStatus): Decision {
  const { servers, instance } = facts;
  const primary = servers.find(({ pod }) => pod === status.primary);
  const names = [hostOf(instance, status.primary), ...(primary?.host === undefined ? [] : [primary.host])];
  const evidence = evidenceAgainst(primary, servers, names);
  if (evidence === "none") return { type: "keep" };
  const others = answering(servers).filter(({ pod }) => pod !== status.primary);
  if (evidence === "suspect") {
    const isSaving = primary !== undefined && savingMs(primary) > 0;
    const message = `${status.primary} does not answer; ${isSaving ? "it may stand still to save its data" : "its replicas have not lost it"}.`;
    return { type: "keep", trouble: { reason: "PrimarySuspected", message }, again: soon };
  }
  const candidates = candidatesFor(status, others);
  const [best] = candidates;
  if (best === undefined) return { type: "keep", trouble: held(facts, status.primary, others), again: 1000 };
  if (!isQuorum(candidates.length, facts)) return tooFew(facts, status.primary, candidates);
  // It may be on its way: for the first time, or back, with more than one that was restarted, too, can be sure to have.
  const isEarly = best.answer.facts.uptimeSeconds < restartPatience;
  const isAwaited = status.served === undefined || evidence === "away" || isRestarted(best);
  if (isAwaited && isEarly) return { type: "keep", again: 1000 };
  const cause = evidence === "hangs" ? `${status.primary} hung.` : `${status.primary} was lost.`;
  const stop = evidence === "hangs" ? primary : undefined;
  return {
    ...take(status.epoch + 1, best.pod, cause),
    lost: {
      pod: status.primary,
      uid: primary?.uid,
      // Who may be saving is asked once more in any case.
      ...(stop?.isReached === true && savingMs(stop) === 0 && { missedAt: stop.missedAt }),
    },
    ...(stop !== undefined && { stop }),
  };
}

/** With `strict`, the best of too few may lack a write that was confirmed by others. */
function isQuorum(candidates: number, { durability, wanted }: ReplicationFacts): boolean {
  return durability !== "strict" || candidates >= electingReplicas(wanted);
}

function tooFew(facts: ReplicationFacts, primary: string, candidates: readonly AnsweringServer[]): Decision {
  const needed = electingReplicas(facts.wanted);
  const there = candidates.map(({ pod }) => pod).join(", ");
  const message = `No server may take writes: ${primary} is lost, and of the others only ${there} can be asked. With spec.durability: strict it takes ${needed}, so that one of them has every write that was confirmed. It goes on by itself when ${primary} or more of them are back. ${wayOut(facts)}`;
  return { type: "keep", trouble: { reason: "PrimaryHeld", message }, again: 1000 };
}

function isPrimaryOf(
  data: { readonly role: string; readonly epoch: number } | undefined,
  epoch: number,
): boolean {
  return data?.role === "primary" && data.epoch === epoch;
}

function take(epoch: number, primary: string, cause: string): Extract<Decision, { type: "take" }> {
  return { type: "take", epoch, primary, cause };
}

/** Nobody may serve: somebody must decide, or bring the data back. */
function held(
  facts: ReplicationFacts,
  primary: string,
  others: readonly AnsweringServer[],
): ReplicationTrouble {
  const { servers } = facts;
  const said = others.map(({ pod, answer }) => `${pod} has ${answer.facts.keys} keys`);
  const silent = servers.filter(({ pod, answer }) => pod !== primary && answer === undefined);
  const known = [...said, ...silent.map(({ pod }) => `${pod} does not answer`)].join(", ");
  return {
    reason: "PrimaryHeld",
    message: `No server may take writes: ${primary} has not the data that was served last${known === "" ? "" : ` (${known})`}. It goes on by itself when a server with that data is back. ${wayOut(facts)}`,
  };
}

function wayOut({ instance: { namespace, name } }: ReplicationFacts): string {
  return `To go on with what a pod has, and lose the rest for good: kubectl annotate redisinstance -n ${namespace} ${name} redis.github.com/promote=<pod>`;
}
