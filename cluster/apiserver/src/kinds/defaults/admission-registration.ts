import type {
  MatchResources,
  MutatingWebhook,
  RuleWithOperations,
  ServiceReference,
  ValidatingAdmissionPolicySpec,
  ValidatingWebhook,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

const types = "io.k8s.api.admissionregistration.v1";

/** Defaults of webhooks and policies of admission. */
export const admissionRegistrationDefaults: readonly (readonly [string, Defaulter])[] = [
  [`${types}.MutatingWebhook`, setMutatingWebhook],
  [`${types}.ValidatingWebhook`, setWebhook],
  [`${types}.RuleWithOperations`, setRule],
  [`${types}.NamedRuleWithOperations`, setRule],
  [`${types}.ServiceReference`, setServiceReference],
  [`${types}.ValidatingAdmissionPolicySpec`, setPolicy],
  [`${types}.MutatingAdmissionPolicySpec`, setPolicy],
  [`${types}.MatchResources`, setMatchResources],
];

function setWebhook(webhook: Decoded<ValidatingWebhook>): void {
  webhook.failurePolicy ??= "Fail";
  webhook.matchPolicy ??= "Equivalent";
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
}

function setMutatingWebhook(webhook: Decoded<MutatingWebhook>): void {
  setWebhook(webhook);
  webhook.reinvocationPolicy ??= "Never";
}

function setRule(rule: Decoded<RuleWithOperations>): void {
  rule.scope ??= "*";
}

function setServiceReference(reference: Decoded<ServiceReference>): void {
  reference.port ??= 443;
}

function setPolicy(spec: Decoded<ValidatingAdmissionPolicySpec>): void {
  spec.failurePolicy ??= "Fail";
}

function setMatchResources(resources: Decoded<MatchResources>): void {
  resources.matchPolicy ??= "Equivalent";
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
}
