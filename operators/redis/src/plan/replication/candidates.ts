import { compareHistories, reaches } from "../../engine/history.ts";
import type { ReplicationStatus } from "../../kind.ts";
import type { AnsweringServer } from "../../server-view.ts";

/**
 * Who may become the primary without the one that is lost, the best first. Never a server that loads, that has no data
 * while others have some, or whose data is older than what is known to have been served.
 */
export function candidatesFor(
  status: Pick<ReplicationStatus, "served" | "historyId" | "offset">,
  servers: readonly AnsweringServer[],
): readonly AnsweringServer[] {
  const hasData = servers.some(({ answer }) => answer.facts.keys > 0);
  return servers
    .filter(({ answer }) => !answer.facts.isLoading && !(hasData && answer.facts.keys === 0))
    .filter((server) => isOfServedEpoch(server, status))
    .toSorted(byMerit);
}

/** By its own record, or because its history has what the operator has last seen of the primary's. */
function isOfServedEpoch(
  { answer }: AnsweringServer,
  { served = 0, historyId, offset = 0 }: Pick<ReplicationStatus, "served" | "historyId" | "offset">,
): boolean {
  if ((answer.record.data?.epoch ?? 0) >= served) return true;
  return historyId !== undefined && reaches(answer.facts.history, { id: historyId, offset });
}

function byMerit(one: AnsweringServer, other: AnsweringServer): number {
  const epochs = dataEpoch(other) - dataEpoch(one);
  if (epochs !== 0) return epochs;
  // A server that was restarted may not know any more how far it was.
  const restarts = Number(isRestarted(one)) - Number(isRestarted(other));
  if (restarts !== 0) return restarts;
  const relation = compareHistories(one.answer.facts.history, other.answer.facts.history);
  if (relation === "ahead") return -1;
  if (relation === "behind") return 1;
  if (relation === "diverged") {
    const keys = other.answer.facts.keys - one.answer.facts.keys;
    if (keys !== 0) return keys;
  }
  return Number(one.isDeleting) - Number(other.isDeleting) || one.ordinal - other.ordinal;
}

function dataEpoch({ answer }: AnsweringServer): number {
  return answer.record.data?.epoch ?? 0;
}

/** It has been admitted by nobody since it started. */
export function isRestarted({ answer }: AnsweringServer): boolean {
  return !answer.record.isAdmitted;
}
