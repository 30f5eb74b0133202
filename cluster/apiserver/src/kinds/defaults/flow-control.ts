import type {
  ExemptPriorityLevelConfiguration,
  FlowSchemaSpec,
  LimitedPriorityLevelConfiguration,
  QueuingConfiguration,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the group flowcontrol.apiserver.k8s.io. */
export const flowControlDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.flowcontrol.v1.FlowSchemaSpec", setFlowSchema],
  ["io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", setExempt],
  ["io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", setLimited],
  ["io.k8s.api.flowcontrol.v1.QueuingConfiguration", setQueuing],
];

function setFlowSchema(spec: Decoded<FlowSchemaSpec>): void {
  if ((spec.matchingPrecedence ?? 0) === 0) spec.matchingPrecedence = 1000;
}

function setExempt(exempt: Decoded<ExemptPriorityLevelConfiguration>): void {
  exempt.nominalConcurrencyShares ??= 0;
  exempt.lendablePercent ??= 0;
}

function setLimited(limited: Decoded<LimitedPriorityLevelConfiguration>): void {
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
}

function setQueuing(queuing: Decoded<QueuingConfiguration>): void {
  if ((queuing.handSize ?? 0) === 0) queuing.handSize = 8;
  if ((queuing.queues ?? 0) === 0) queuing.queues = 64;
  if ((queuing.queueLengthLimit ?? 0) === 0) queuing.queueLengthLimit = 50;
}
