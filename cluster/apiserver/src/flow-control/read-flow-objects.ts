import type {
  FlowSchema as FlowSchemaObject,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import type { Decoded } from "../registry/decoded.ts";
import { subjectKey } from "./subject-keys.ts";
import type { FlowRule, FlowSchema, NonResourceRule, PriorityLevel, ResourceRule } from "./types.ts";

/** What a FlowSchema says about requests. */
export function flowSchemaOf({ metadata, spec = {} }: Decoded<FlowSchemaObject>): FlowSchema {
  const method = spec.distinguisherMethod?.type;
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    level: spec.priorityLevelConfiguration?.name ?? "",
    precedence: spec.matchingPrecedence ?? 1000,
    distinguisher: method === "ByUser" || method === "ByNamespace" ? method : undefined,
    rules: (spec.rules ?? []).map(flowRuleOf),
  };
}

function flowRuleOf({
  subjects,
  resourceRules,
  nonResourceRules,
}: Decoded<PolicyRulesWithSubjects>): FlowRule {
  return {
    subjects: (subjects ?? []).flatMap((subject) => subjectKey(subject) ?? []),
    resourceRules: (resourceRules ?? []).map(resourceRuleOf),
    nonResourceRules: (nonResourceRules ?? []).map(({ verbs, nonResourceURLs }) => ({
      verbs: new Set(verbs),
      ...pathsOf(nonResourceURLs ?? []),
    })),
  };
}

function resourceRuleOf(rule: Decoded<ResourcePolicyRule>): ResourceRule {
  return {
    verbs: new Set(rule.verbs),
    apiGroups: new Set(rule.apiGroups),
    resources: new Set(rule.resources),
    namespaces: new Set(rule.namespaces),
    clusterScope: rule.clusterScope ?? false,
  };
}

/** A path stands for what is below it too, with a star at its end and without. */
function pathsOf(urls: readonly string[]): Omit<NonResourceRule, "verbs"> {
  const prefixes = urls.map((url) => `${url.replace(/\/?\*?$/u, "")}/`);
  return {
    paths: new Set(urls),
    prefixes: new Set(prefixes),
    longestPrefix: prefixes.reduce((most, { length }) => Math.max(most, length), 0),
  };
}

/** What a PriorityLevelConfiguration says about seats. */
export function priorityLevelOf({ metadata, spec = {} }: Decoded<PriorityLevelConfiguration>): PriorityLevel {
  const isExempt = spec.type === "Exempt";
  const { limited, exempt } = spec;
  const queuing = limited?.limitResponse?.type === "Queue" ? limited.limitResponse.queuing : undefined;
  return {
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    type: isExempt ? "Exempt" : "Limited",
    shares: isExempt ? (exempt?.nominalConcurrencyShares ?? 0) : (limited?.nominalConcurrencyShares ?? 30),
    lendablePercent: (isExempt ? exempt : limited)?.lendablePercent ?? 0,
    borrowingLimitPercent: limited?.borrowingLimitPercent,
    queuing: queuing && {
      queues: queuing.queues ?? 64,
      handSize: queuing.handSize ?? 8,
      queueLengthLimit: queuing.queueLengthLimit ?? 50,
    },
  };
}
