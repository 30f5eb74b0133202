import { parseTime } from "@kedge/machinery";
import type { ReplicationStatus } from "../../kind.ts";
import { answering, type AnsweringServer } from "../../server-view.ts";
import { isDiskFailing } from "../disk-trouble.ts";
import { isInSync } from "./admissions.ts";
import type { ReplicationFacts } from "./types.ts";

/** A planned change of the primary. */
export interface Switchover {
  readonly to: AnsweringServer;
  readonly cause: string;
}

/** Why the primary is to be another one; undefined when it is not. */
export function whySwitchOver(primary: AnsweringServer, facts: ReplicationFacts): string | undefined {
  const { switchover, wanted, status, revision, servers, givesVolumeUp } = facts;
  if (primary.isDeleting) return `${primary.pod} is being deleted.`;
  if (switchover !== undefined && switchover !== primary.pod) return "It was asked for.";
  if (primary.ordinal >= wanted) return `${primary.pod} is scaled away.`;
  if (status?.target !== undefined) return "It was begun.";
  const isSpared = isDiskFailing(primary) && successorOf(primary, answering(servers), facts) !== undefined;
  if (isSpared) return `${primary.pod} cannot write to its volume.`;
  if (givesVolumeUp) return `${primary.pod} is to get another volume.`;
  const isLast = servers.every(({ pod, revision: own }) => pod === primary.pod || own === revision);
  return revision !== undefined && primary.revision !== revision && isLast && wanted > 1
    ? `${primary.pod} is to be replaced.`
    : undefined;
}

/** Milliseconds between tries: for each one that was given up twice as long, up to five minutes. */
const rest = { firstMs: 5000, mostMs: 300_000, deletingMs: 1000 } as const;

/**
 * For how many milliseconds nothing is tried, because the last tries were given up: each holds writes back for a moment.
 * Somebody who asks for it anew does not wait, and a pod that is being deleted cannot.
 */
export function restBeforeSwitchover(
  { isDeleting }: Pick<AnsweringServer, "isDeleting">,
  { status, switchover, now }: Pick<ReplicationFacts, "status" | "switchover" | "now">,
): number {
  const { givenUp } = status ?? {};
  if (givenUp === undefined || switchover !== undefined) return 0;
  const doubled = Math.min(rest.firstMs * 2 ** Math.min(givenUp.times - 1, 20), rest.mostMs);
  const ms = isDeleting ? rest.deletingMs : doubled;
  const since = now - parseTime(givenUp.at);
  // A clock that was set back must not make it wait for hours.
  return since < 0 ? 0 : Math.max(0, ms - since);
}

/** Who takes over: a replica that is in sync, stays, and can write to its volume. */
export function successorOf(
  primary: AnsweringServer,
  all: readonly AnsweringServer[],
  {
    switchover,
    wanted,
    status,
  }: Pick<ReplicationFacts, "switchover" | "wanted"> & {
    readonly status?: Pick<ReplicationStatus, "target"> | undefined;
  },
): AnsweringServer | undefined {
  const inSync = all
    .filter((server) => isInSync(server, primary) && !server.isDeleting && server.ordinal < wanted)
    .filter((server) => server.answer.record.isAdmitted && !isDiskFailing(server))
    .toSorted(
      (one, other) =>
        other.answer.facts.history.offset - one.answer.facts.history.offset || one.ordinal - other.ordinal,
    );
  const named = switchover === undefined || switchover === "any" ? status?.target : switchover;
  const asked = inSync.find(({ pod }) => pod === named);
  const isStrict = switchover !== undefined && switchover !== "any" && switchover !== primary.pod;
  return isStrict && !primary.isDeleting ? asked : (asked ?? inSync[0]);
}
