import { answering, type AnsweringServer, type ServerView } from "../../server-view.ts";

/** What speaks for a primary being dead. */
export type Evidence =
  /** It is alive, or nobody who could know says otherwise. */
  | "none"
  /** It does not answer, and it is too early to say. */
  | "suspect"
  /** Its process is gone, and nobody was connected to it: it may be coming back. */
  | "away"
  /** Its process is gone. */
  | "gone"
  /** It does not answer, and its replicas hear nothing of it, either. */
  | "hangs";

/**
 * How long a primary may be silent, in milliseconds. Its replicas hear of it every second. One whose machine takes our
 * connections is not cut off from us, and a stream that had moved all the time has not come to rest by chance.
 */
export const patience = {
  silent: { reached: 850, unreached: 1000 },
  stalled: { busy: 650, quiet: 1300 },
  /** One that saves its data: the disk may hold it up. */
  saving: 3000,
  /** One that stood still for its last fork for at least so long may need `times` as long for the next one. */
  slowFork: { leastMs: 100, times: 2, most: 5000 },
} as const;

/**
 * For how many milliseconds more than others a primary may be silent because it was heard to save its data, or to need
 * long for that. It does not grow with the silence: a hang in the middle of it is found, too, only later.
 */
export function savingMs({ forks, isReached }: Pick<ServerView, "forks" | "isReached">): number {
  const { saving, slowFork, silent } = patience;
  const { isUnderWay = false, lastMs = 0 } = forks ?? {};
  const base = isReached ? silent.reached : silent.unreached;
  const fork = lastMs < slowFork.leastMs ? 0 : Math.min(lastMs * slowFork.times, slowFork.most);
  return Math.max(fork, isUnderWay ? saving - base : 0);
}

/**
 * Judges a primary that does not answer. That alone is no evidence: the operator may be cut off from it. Those who
 * follow it are the witnesses, and must have lost it, too: their links are down, or nothing has come over them for
 * longer than anything can. `names` are what its followers may call it.
 */
export function evidenceAgainst(
  primary: ServerView | undefined,
  servers: readonly ServerView[],
  names: readonly string[],
): Evidence {
  if (primary?.answer !== undefined || primary?.failure?.isReply === true) return "none";
  const others = answering(servers).filter(({ pod }) => pod !== primary?.pod);
  if (others.length === 0) return "none";
  const witnesses = others.filter(({ answer }) => names.includes(answer.facts.upstream?.host ?? ""));
  const isGone =
    primary?.host === undefined || ["REFUSED", "CLOSED", "HALFREPLY"].includes(primary.failure?.code ?? "");
  if (witnesses.length === 0) return isGone ? "away" : "suspect";
  const isDown = witnesses.every((witness) => hasLostLink(witness));
  if (isDown && (isGone || primary.isDeleting)) return "gone";
  const isReached = primary?.isReached === true;
  const isLost = witnesses.every((witness) => {
    const { busy, quiet } = patience.stalled;
    return hasLostLink(witness) || witness.stalledMs >= (isReached && witness.wasBusy ? busy : quiet);
  });
  const { reached, unreached } = patience.silent;
  const savesMs = primary === undefined || isGone ? 0 : savingMs(primary);
  const allowedMs = (isReached ? reached : unreached) + savesMs;
  if (!isLost || (primary?.silentMs ?? Infinity) < allowedMs) return "suspect";
  return isGone ? "gone" : "hangs";
}

function hasLostLink({ answer }: AnsweringServer): boolean {
  return answer.facts.upstream?.isUp !== true;
}
