import { selectorFromLabels, selectorToString, type Clock, type DeepReadonly } from "@kedge/machinery";
import { headline, reportConditions, type ConditionStatement } from "@kedge/runtime";
import { electingReplicas } from "./config/durability.ts";
import { redisPhases, type RedisInstance, type ReplicationStatus } from "./kind.ts";
import { labelsOf, namesOf } from "./names.ts";
import type { Observed } from "./observe.ts";
import { configCondition } from "./plan/config-condition.ts";
import { diskFailing, diskTrouble } from "./plan/disk-trouble.ts";
import { suspendedMessage, type InstanceReport, type PhaseFacts } from "./plan/phase.ts";
import { configurationWarning, specWarnings } from "./rules/warnings.ts";
import { generalConditions } from "./plan/general-conditions.ts";
import { metricsConditions, metricsReady } from "./plan/metrics-condition.ts";
import { isInSync } from "./plan/replication/admissions.ts";
import { rolloutOf } from "./plan/rollout.ts";
import { storageCondition } from "./plan/storage-condition.ts";
import { switchoverFailing, switchoverTrouble } from "./plan/switchover-condition.ts";
import { usersApplied, usersConditions } from "./plan/users-condition.ts";
import { serverTable } from "./server-table.ts";
import { answering } from "./server-view.ts";

/** The status of an instance. Equal facts give an equal status: times change only with what they are about. */
export function statusOf(
  { observed, refusals, failure }: PhaseFacts,
  report: InstanceReport,
  clock: Pick<Clock, "now">,
): NonNullable<RedisInstance["status"]> {
  const { instance, statefulSet } = observed;
  const { name, generation } = instance.metadata;
  const rollout = statefulSet === undefined ? undefined : rolloutOf(statefulSet, observed.pods);
  const wanted = rollout?.wanted ?? instance.spec.replicas;
  const held = report.reason === heldReason ? report : undefined;
  const conditions = reportConditions(
    {
      object: instance,
      report,
      refusals,
      stalled: failure ?? held,
      more: [
        phaseCondition(report),
        failoverCondition(observed),
        storageCondition(observed, refusals),
        configCondition(observed, refusals),
        ...generalConditions(observed, report),
        ...usersConditions(observed, refusals),
        ...metricsConditions(observed),
        ...heldConditions(held),
        ...onlyThen(diskTrouble(observed)),
        ...onlyThen(switchoverTrouble(observed)),
        ...suspendedConditions(instance),
        ...warningConditions(instance),
      ],
      over: [
        ...redisPhases.filter((other) => other !== report.phase),
        ...(held === undefined ? [heldReason] : []),
        ...(diskTrouble(observed) === undefined ? [diskFailing] : []),
        ...(switchoverTrouble(observed) === undefined ? [switchoverFailing] : []),
        ...(instance.spec.suspend === true ? [] : ["Suspended"]),
        ...((instance.spec.users ?? []).length > 0 ? [] : [usersApplied]),
        ...(instance.spec.metrics?.enabled === true ? [] : [metricsReady]),
        ...(specWarnings(instance.spec).length > 0 ? [] : [configurationWarning]),
      ],
    },
    clock,
  );
  return {
    status: report.phase,
    ready: report.ready ? "True" : "False",
    readyReplicas: `${rollout?.ready ?? 0}/${wanted}`,
    replicas: statefulSet?.status?.replicas ?? 0,
    selector: selectorToString(selectorFromLabels(labelsOf(name))),
    lastConditionMessage: headline(refusals, report),
    ...versionOf(observed),
    ...serverTable(observed),
    ...(observed.binding !== "none" && { binding: { name: namesOf(name).binding } }),
    conditions,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

/** What the primary runs; while it does not answer, what it ran. */
function versionOf({ instance, servers, replication }: Observed): { readonly version?: string } {
  const primary = answering(servers).find(({ pod }) => pod === replication?.primary);
  const { software, version } = primary?.answer.facts ?? {};
  if (software !== undefined && version !== undefined) return { version: `${software} ${version}` };
  const before = instance.status?.version;
  return before === undefined ? {} : { version: before };
}

const heldReason = "PrimaryHeld";

/** Only while it is so: it needs somebody's decision. */
function heldConditions(held: InstanceReport | undefined): readonly ConditionStatement[] {
  if (held === undefined) return [];
  return [{ type: heldReason, status: "True", reason: "DataLost", message: held.message }];
}

/** Only while it is so. */
function suspendedConditions({ spec }: DeepReadonly<RedisInstance>): readonly ConditionStatement[] {
  if (spec.suspend !== true) return [];
  return [{ type: "Suspended", status: "True", reason: "Suspended", message: suspendedMessage }];
}

/** What is there only while it is so. */
function onlyThen(trouble: ConditionStatement | undefined): readonly ConditionStatement[] {
  return trouble === undefined ? [] : [trouble];
}

/** Only while it is so: done as the spec says, and probably not what its author wants. */
function warningConditions({ spec }: DeepReadonly<RedisInstance>): readonly ConditionStatement[] {
  const [warning] = specWarnings(spec);
  return warning === undefined ? [] : [{ type: configurationWarning, status: "True", ...warning }];
}

/** Typed by the phase, true when the instance is ready: users of `kubectl wait` may name either. */
function phaseCondition({ phase, ready, reason, message }: InstanceReport): ConditionStatement {
  return { type: phase, status: ready ? "True" : "False", reason, message };
}

/** Whether another server could take over now. */
function failoverCondition({ instance, servers, replication }: Observed): ConditionStatement {
  if (instance.spec.replicas < 2)
    return failoverSays(
      "False",
      "NoReplicas",
      "There is one server: while it is down, nothing can be read or written.",
    );
  const all = answering(servers);
  const primary = all.find(({ pod }) => pod === replication?.primary);
  if (all.length === 0 && servers.length > 0)
    return failoverSays(
      "Unknown",
      "ServersUnreachable",
      "No server answers the operator, so none would be promoted.",
    );
  const inSync = primary === undefined ? [] : all.filter((server) => isInSync(server, primary));
  const { durability, replicas } = instance.spec;
  const needed = durability === "strict" ? electingReplicas(replicas) : 1;
  if (inSync.length > 0 && inSync.length < needed)
    return failoverSays(
      "False",
      "TooFewReplicasInSync",
      `With spec.durability: strict it takes ${needed} replicas in sync; there is ${inSync.length}: ${inSync.map(({ pod }) => pod).join(", ")}.`,
    );
  return inSync.length > 0
    ? failoverSays(
        "True",
        "ReplicasInSync",
        `In sync with ${primary?.pod}: ${inSync.map(({ pod }) => pod).join(", ")}.`,
      )
    : failoverSays("False", "NoReplicaInSync", "No replica has all of the primary's data.");
}

function failoverSays(
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
): ConditionStatement {
  return { type: "FailoverAvailable", status, reason, message };
}

/**
 * What the status says about replication: the epoch as it was taken, and what was seen of it since. Only the first sight
 * of a stream of writes is noted: its offset grows with every write.
 */
export function replicationStatusOf(
  newest: DeepReadonly<ReplicationStatus> | undefined,
  { servers }: Pick<Observed, "servers">,
): ReplicationStatus | undefined {
  if (newest === undefined) return undefined;
  const primary = answering(servers).find(({ pod }) => pod === newest.primary);
  const { facts, record } = primary?.answer ?? {};
  const isServing = facts?.role === "primary" && record?.isAdmitted === true && record.epoch === newest.epoch;
  if (!isServing || (newest.served === newest.epoch && newest.historyId === facts.history.id)) return newest;
  return { ...newest, served: newest.epoch, historyId: facts.history.id, offset: facts.history.offset };
}
