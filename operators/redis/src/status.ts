import { selectorFromLabels, selectorToString, type Clock, type DeepReadonly } from "@kedge/machinery";
import { headline, reportConditions, type ConditionStatement } from "@kedge/runtime";
import { redisPhases, type RedisInstance } from "./kind.ts";
import { labelsOf, namesOf } from "./names.ts";
import { suspendedMessage, type InstanceReport, type PhaseFacts } from "./plan/phase.ts";
import { configurationWarning, specWarnings } from "./rules/warnings.ts";
import { generalConditions } from "./plan/general-conditions.ts";
import { rolloutOf } from "./plan/rollout.ts";
import { storageCondition } from "./plan/storage-condition.ts";

/** The status of an instance. Equal facts give an equal status: times change only with what they are about. */
export function statusOf(
  { observed, refusals, failure }: PhaseFacts,
  report: InstanceReport,
  clock: Pick<Clock, "now">,
): NonNullable<RedisInstance["status"]> {
  const { instance, statefulSet } = observed;
  const { name, generation } = instance.metadata;
  const rollout = statefulSet === undefined ? undefined : rolloutOf(statefulSet);
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
        failoverCondition(instance),
        storageCondition(observed, refusals),
        ...generalConditions(observed, report),
        ...heldConditions(held),
        ...suspendedConditions(instance),
        ...warningConditions(instance),
      ],
      over: [
        ...redisPhases.filter((other) => other !== report.phase),
        ...(held === undefined ? [heldReason] : []),
        ...(instance.spec.suspend === true ? [] : ["Suspended"]),
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
    ...(observed.binding !== "none" && { binding: { name: namesOf(name).binding } }),
    conditions,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
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

/** Only while it is so: done as the spec says, and probably not what its author wants. */
function warningConditions({ spec }: DeepReadonly<RedisInstance>): readonly ConditionStatement[] {
  const [warning] = specWarnings(spec);
  return warning === undefined ? [] : [{ type: configurationWarning, status: "True", ...warning }];
}

/** Typed by the phase, true when the instance is ready: users of `kubectl wait` may name either. */
function phaseCondition({ phase, ready, reason, message }: InstanceReport): ConditionStatement {
  return { type: phase, status: ready ? "True" : "False", reason, message };
}

function failoverCondition({ metadata }: DeepReadonly<RedisInstance>): ConditionStatement {
  const { primaryPod } = namesOf(metadata.name);
  return {
    type: "FailoverAvailable",
    status: "False",
    reason: "NotImplemented",
    message: `Failover is not there yet: while pod ${primaryPod} is down, nothing can be written, and it comes back with its own data.`,
  };
}
