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
} as const;

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
  if (!isLost || (primary?.silentMs ?? Infinity) < (isReached ? reached : unreached)) return "suspect";
  return isGone ? "gone" : "hangs";
}

function hasLostLink({ answer }: AnsweringServer): boolean {
  return answer.facts.upstream?.isUp !== true;
}
