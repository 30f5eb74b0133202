import type { ReplicationStatus } from "../../kind.ts";
import { namesOf, promoteAnnotation, switchoverAnnotation } from "../../names.ts";
import { answering, type AnsweringServer, type ServerView } from "../../server-view.ts";
import { operatorUser } from "../../users.ts";
import { admissionOf, dataRecords, isFailingOver, needsAdmission, targetOf } from "./admissions.ts";
import { decidePrimary, type Decision } from "./decide.ts";
import { savingMs } from "./evidence.ts";
import { planGuard } from "./guard.ts";
import { restBeforeSwitchover, successorOf, whySwitchOver } from "./switchover.ts";
import type {
  Admission,
  ReplicationAction,
  ReplicationFacts,
  ReplicationPlan,
  ReplicationTrouble,
} from "./types.ts";

/** Decides what is to be done about the roles of an instance's servers. Pure. */
export function planReplication(facts: ReplicationFacts): ReplicationPlan {
  const { status, servers, instance } = facts;
  const decision = decidePrimary(facts);
  if (decision.type === "take") return takeOver(facts, decision);
  if (status === undefined)
    return { ...nothing, primary: namesOf(instance.name).primaryPod, first: adoptions(facts) };
  const all = answering(servers);
  const primary = all.find(({ pod }) => pod === status.primary);
  const isServing =
    primary?.answer.facts.role === "primary" &&
    primary.answer.record.isAdmitted &&
    primary.answer.record.epoch === status.epoch;
  const why = primary !== undefined && isServing ? whySwitchOver(primary, facts) : undefined;
  const restMs = primary === undefined ? 0 : restBeforeSwitchover(primary, facts);
  if (primary !== undefined && why !== undefined && restMs === 0)
    return switchOver({ ...facts, status }, { primary, all, why });
  // Who must not serve is not made a primary; the others have nobody to follow then, and stay as they are.
  const isHeld = decision.trouble?.reason === "PrimaryHeld";
  const isChanging = primary !== undefined && isHandingOver(primary, facts, status);
  const due = isHeld || isChanging ? [] : all.filter((server) => needsAdmission(server, status, facts));
  const admissions = due.map((server) => admissionOf(server, status, facts));
  const guard = planGuard(isServing ? primary : undefined, all, facts);
  return {
    primary: status.primary,
    first: [
      ...adoptions(facts),
      ...unfenced(servers, admissions),
      ...inOrder(admissions),
      ...dataRecords(all, status),
    ],
    after: [...labels(facts, status.primary), ...guard.actions, ...doneAnnotations(facts, status)],
    // What a server that loads will be nobody tells.
    again:
      decision.again ??
      guard.again ??
      (due.length > 0 || isChanging || all.some(isLoading) ? 500 : undefined) ??
      (why === undefined ? undefined : restMs),
    trouble: decision.trouble ?? givenUp(why, status),
  };
}

/** A change that is still wanted, and rests. */
function givenUp(
  why: string | undefined,
  { givenUp: last }: ReplicationStatus,
): ReplicationTrouble | undefined {
  if (why === undefined || last === undefined) return undefined;
  return {
    reason: "SwitchoverGivenUp",
    message: `${last.why} It is tried again, less and less often. ${why}`,
  };
}

/** Whoever serves beside the primary is stopped before it opens. */
function inOrder(admissions: readonly Admission[]): readonly Admission[] {
  return admissions.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ role, cutClients }: Admission): number {
  if (cutClients) return 0;
  return role === "primary" ? 1 : 2;
}

/** Who was the primary, and hangs, when an operator ended before it could stop it. */
function unfenced(
  servers: readonly ServerView[],
  admissions: readonly Admission[],
): readonly ReplicationAction[] {
  const opening = admissions.find(({ role }) => role === "primary");
  if (opening === undefined) return [];
  return servers
    .filter(
      ({ pod, role, failure }) => pod !== opening.server.pod && role === "primary" && failure !== undefined,
    )
    .filter(({ failure }) => failure?.isReply === false && failure.code !== "REFUSED")
    .map(fenceOf);
}

/**
 * A primary that is in the middle of Redis' own FAILOVER, because an operator ended there. Its successor may have taken
 * over already: only when that says that it has not, or says nothing for long, is the primary told to go on.
 */
function isHandingOver(
  primary: AnsweringServer,
  { servers }: ReplicationFacts,
  { target }: ReplicationStatus,
): boolean {
  if (!isFailingOver(primary)) return false;
  const successor = servers.find(({ pod }) => pod === target);
  if (successor?.answer !== undefined) return successor.answer.facts.role === "primary";
  return successor !== undefined && successor.silentMs < successorPatienceMs;
}

const successorPatienceMs = 5000;

function isLoading({ answer }: AnsweringServer): boolean {
  return answer.facts.isLoading;
}

const nothing = { primary: "", first: [], after: [], again: undefined, trouble: undefined } as const;

function fenceOf(server: ServerView): ReplicationAction {
  const { pod, uid, host } = server;
  return { type: "fence", pod, uid, host, asksFirst: savingMs(server) > 0 };
}

/**
 * Another epoch is taken, its primary admitted, the Service moved, then the others follow. One that hangs must be stopped
 * before that one opens: the Service is moved first then, because clients that still come to a pod which goes away wait
 * for nothing, while a server that is about to open tells them so.
 */
function takeOver(facts: ReplicationFacts, decision: Extract<Decision, { type: "take" }>): ReplicationPlan {
  const { epoch, primary, cause, stop, lost } = decision;
  const { status, servers } = facts;
  const all = answering(servers);
  const chosen = all.find(({ pod }) => pod === primary);
  const history = chosen?.answer.facts.history;
  const next = {
    epoch,
    primary,
    cause,
    ...(status?.served !== undefined && { served: status.served }),
    ...(history !== undefined && { historyId: history.id, offset: history.offset }),
  };
  const admissions = all
    .filter((server) => needsAdmission(server, next, facts))
    .map((server) => admissionOf(server, next, facts));
  const taking = { type: "take epoch", before: status, next, ...(lost !== undefined && { lost }) } as const;
  const opening = inOrder(admissions).filter(({ role, cutClients }) => cutClients || role === "primary");
  return {
    primary,
    first: stop === undefined ? [taking, ...opening] : [taking],
    after: [
      ...(stop === undefined ? [] : [fenceOf(stop), ...opening]),
      ...labels(facts, primary),
      ...admissions.filter(({ role, cutClients }) => role === "replica" && !cutClients),
    ],
    again: all.length > 0 ? 200 : undefined,
    trouble: undefined,
  };
}

/** The old primary is admitted to a new epoch, hands over by Redis' own means, and the next epoch is the successor's. */
function switchOver(
  facts: ReplicationFacts & { readonly status: ReplicationStatus },
  {
    primary,
    all,
    why,
  }: { readonly primary: AnsweringServer; readonly all: readonly AnsweringServer[]; readonly why: string },
): ReplicationPlan {
  const { status } = facts;
  const successor = successorOf(primary, all, facts);
  const upkeep = all
    .filter((server) => needsAdmission(server, status, facts))
    .map((server) => admissionOf(server, status, facts));
  const behind = bytesBehind(primary, successor);
  if (successor === undefined || behind > mostBehind) {
    const reason =
      successor === undefined ? "no replica is in sync" : `${successor.pod} is ${behind} bytes behind`;
    const message = `${primary.pod} cannot hand over: ${reason}. ${why}`;
    return {
      primary: status.primary,
      first: [...adoptions(facts), ...upkeep, ...dataRecords(all, status)],
      after: labels(facts, status.primary),
      again: 500,
      trouble: { reason: "SwitchoverWaits", message },
    };
  }
  const { history } = primary.answer.facts;
  const kept = {
    ...(status.served !== undefined && { served: status.served }),
    historyId: history.id,
    offset: history.offset,
  };
  const begun = {
    epoch: status.epoch + 1,
    primary: primary.pod,
    target: successor.pod,
    cause: why,
    ...(status.givenUp !== undefined && { givenUp: status.givenUp }),
    ...kept,
  };
  const done = { epoch: status.epoch + 2, primary: successor.pod, cause: why, ...kept };
  // It obeys the user of the epoch that it was just admitted to.
  const admitted = { ...targetOf(primary), as: operatorUser(begun.epoch) };
  const demotion = admissionOf(primary, done, facts);
  const change = { to: targetOf(successor), wish: facts.switchover } as const;
  return {
    primary: successor.pod,
    first: [
      { type: "check hand over", server: targetOf(primary), epoch: status.epoch, ...change },
      { type: "take epoch", before: status, next: begun },
      // From here on the status says what is wanted.
      ...(facts.switchover === undefined
        ? []
        : [{ type: "clear annotation", annotation: switchoverAnnotation, value: facts.switchover } as const]),
      admissionOf(primary, begun, facts),
    ],
    // The Service leads to the successor before that opens: whoever is sent away finds it.
    after: [
      { type: "hand over", server: admitted, epoch: begun.epoch, ...change },
      { type: "take epoch", before: begun, next: done },
      { ...admissionOf(successor, done, facts), isNeeded: false },
      ...labels(facts, successor.pod),
      {
        ...demotion,
        server: admitted,
        users: [...demotion.users, operatorUser(begun.epoch)],
      },
      ...all
        .filter(({ pod }) => pod !== primary.pod && pod !== successor.pod)
        .map((server) => admissionOf(server, done, facts)),
    ],
    again: 200,
    trouble: undefined,
  };
}

/** Who is further behind than this, in bytes, would keep clients waiting for too long. */
const mostBehind = 4 * 1024 * 1024;

function bytesBehind(primary: AnsweringServer, successor: AnsweringServer | undefined): number {
  if (successor === undefined) return 0;
  return primary.answer.facts.history.offset - successor.answer.facts.history.offset;
}

/** Servers that do not know the system's users. */
function adoptions({ servers }: ReplicationFacts): readonly ReplicationAction[] {
  return servers.flatMap(({ pod, host, failure }) =>
    host !== undefined && (failure?.code === "WRONGPASS" || failure?.code === "NOPERM")
      ? [{ type: "adopt server", pod, host } as const]
      : [],
  );
}

function labels({ servers }: ReplicationFacts, primary: string): readonly ReplicationAction[] {
  return servers.flatMap(({ pod, uid, role, isDeleting }) => {
    const wanted = pod === primary ? "primary" : "replica";
    return role === wanted || isDeleting ? [] : [{ type: "label pod", pod, uid, role: wanted } as const];
  });
}

/** What was asked for by annotation, and is so. */
function doneAnnotations(
  { switchover, promote, servers }: ReplicationFacts,
  { primary }: Pick<ReplicationStatus, "primary">,
): readonly ReplicationAction[] {
  const isThere = (pod: string): boolean => servers.some((server) => server.pod === pod);
  return [
    ...(switchover !== undefined && (switchover === primary || (switchover !== "any" && !isThere(switchover)))
      ? [clear(switchoverAnnotation, switchover)]
      : []),
    ...(promote !== undefined && promote === primary ? [clear(promoteAnnotation, promote)] : []),
  ];
}

function clear(annotation: string, value: string): ReplicationAction {
  return { type: "clear annotation", annotation, value };
}
