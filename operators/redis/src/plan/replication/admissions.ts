import type { ReplicationStatus } from "../../kind.ts";
import { hostOf } from "../../names.ts";
import type { AnsweringServer } from "../../server-view.ts";
import { operatorUser, startUser } from "../../users.ts";
import type { Admission, ReplicationAction, ReplicationFacts, ServerTarget } from "./types.ts";

/** Where a server is, and as whom it obeys. */
export function targetOf({ pod, host, answer }: AnsweringServer): ServerTarget {
  const { isAdmitted, epoch } = answer.record;
  return { pod, host, as: isAdmitted ? operatorUser(epoch) : startUser };
}

/** Admits a server to an epoch in the role that the epoch has for it. */
export function admissionOf(
  server: AnsweringServer,
  { epoch, primary }: Pick<ReplicationStatus, "epoch" | "primary">,
  { instance }: Pick<ReplicationFacts, "instance">,
): Admission {
  const isPrimary = server.pod === primary;
  return {
    type: "admit",
    server: targetOf(server),
    users: server.answer.users,
    epoch,
    role: isPrimary ? "primary" : "replica",
    follow: hostOf(instance, primary),
    cutClients: !isPrimary && server.answer.facts.role === "primary",
    abortsFailover: isFailingOver(server),
    isNeeded: isPrimary,
  };
}

/** Whether a server is not what the epoch says. */
export function needsAdmission(
  { pod, answer }: AnsweringServer,
  { epoch, primary }: Pick<ReplicationStatus, "epoch" | "primary">,
  { instance }: Pick<ReplicationFacts, "instance">,
): boolean {
  const { facts, record } = answer;
  // While it loads it takes no orders; one that knows a newer epoch takes none of ours.
  if (facts.isLoading || record.epoch > epoch) return false;
  if (!record.isAdmitted || record.epoch < epoch) return true;
  if (pod === primary) return facts.role !== "primary";
  return facts.upstream?.host !== hostOf(instance, primary);
}

/** Redis' own FAILOVER is under way. */
export function isFailingOver({ answer }: AnsweringServer): boolean {
  return answer.facts.failoverState !== "no-failover";
}

/** Writes down, once for each epoch, that a replica has all of the primary's data. */
export function dataRecords(
  servers: readonly AnsweringServer[],
  { epoch, primary }: Pick<ReplicationStatus, "epoch" | "primary">,
): readonly ReplicationAction[] {
  const head = servers.find(({ pod }) => pod === primary);
  if (head?.answer.facts.role !== "primary") return [];
  return servers
    .filter(
      (server) =>
        server.answer.record.isAdmitted && server.answer.record.epoch === epoch && isInSync(server, head),
    )
    .filter(({ answer: { record } }) => record.data?.epoch !== epoch || record.data.role !== "replica")
    .map((server) => ({
      type: "record data",
      server: targetOf(server),
      users: server.answer.users,
      epoch,
    }));
}

/** A replica whose link is up, and whose history is the primary's. */
export function isInSync({ pod, answer: { facts } }: AnsweringServer, primary: AnsweringServer): boolean {
  return (
    pod !== primary.pod &&
    facts.upstream?.isUp === true &&
    !facts.upstream.isSyncing &&
    !facts.isLoading &&
    facts.history.id === primary.answer.facts.history.id
  );
}
