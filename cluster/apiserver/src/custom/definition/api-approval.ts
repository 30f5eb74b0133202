import type { ConditionUpdate } from "@kedge/machinery";
import type { Definition } from "./definition.ts";

/** What the annotation says that groups of Kubernetes itself must have. */
export interface ApiApproval {
  readonly state: "approved" | "bypassed" | "invalid" | "missing";
  readonly reason: string;
}

/** The annotation's name. */
export const approvalAnnotation = "api-approved.kubernetes.io";

/** Undefined for groups that need no approval. */
export function approvalOf({ spec, metadata }: Definition): ApiApproval | undefined {
  const group = spec?.group ?? "";
  if (!["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`))) {
    return undefined;
  }
  const value = metadata?.annotations?.[approvalAnnotation] ?? "";
  const must = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (value === "") return { state: "missing", reason: `${must}, see ${proposal}` };
  if (value.startsWith("unapproved"))
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(value)}` };
  if (isUrl(value)) return { state: "approved", reason: `approved in ${value}` };
  return {
    state: "invalid",
    reason: `${must} with either a URL or a reason starting with "unapproved", see ${proposal}`,
  };
}

const proposal = "https://github.com/kubernetes/enhancements/pull/1111";

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+/iu.test(text);
}

/** The condition that tells of it. */
export function approvalCondition({ state, reason }: ApiApproval): ConditionUpdate {
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status: state === "approved" ? "True" : "False",
    reason: reasons[state],
    message: reason,
  };
}

const reasons = {
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
  invalid: "InvalidAnnotation",
  missing: "MissingAnnotation",
} as const;
