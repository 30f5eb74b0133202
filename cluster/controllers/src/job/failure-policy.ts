import type { DeepReadonly } from "@kedge/machinery";
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
} from "@kedge/machinery/kinds/batch/v1";
import type { ContainerStatus, Pod } from "@kedge/machinery/kinds/core/v1";

type AnyPod = DeepReadonly<Pod>;

/** What a job's policy says of a failed pod. */
export interface FailureVerdict {
  /** Absent: no rule fits, and the failure counts. */
  readonly action?: string;
  /** Whether the failure counts towards the limits. */
  readonly isCounted: boolean;
  /** Why the whole job fails; absent: it does not. */
  readonly jobFailure?: string;
}

/** Asks the rules in their order; the first that fits decides. */
export function judgeFailure(
  policy: DeepReadonly<PodFailurePolicy> | undefined,
  pod: AnyPod,
): FailureVerdict {
  for (const [index, { action, onExitCodes, onPodConditions }] of (policy?.rules ?? []).entries()) {
    const what =
      onExitCodes === undefined
        ? conditionMatch(pod, onPodConditions ?? [])
        : exitCodeMatch(pod, onExitCodes);
    if (what === undefined) continue;
    if (action === "Ignore") return { action, isCounted: false };
    if (action === "FailIndex" || action === "Count") return { action, isCounted: true };
    if (action === "FailJob") {
      return { action, isCounted: true, jobFailure: `${what} matching FailJob rule at index ${index}` };
    }
  }
  return { isCounted: true };
}

/** What fits, in the words of the event; undefined when nothing does. */
function exitCodeMatch(
  { metadata, status }: AnyPod,
  { containerName, operator, values }: DeepReadonly<PodFailurePolicyOnExitCodesRequirement>,
): string | undefined {
  const fits = ({ name, state }: DeepReadonly<ContainerStatus>): boolean => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) return false;
    return operator === "In" ? values.includes(exitCode) : operator === "NotIn" && !values.includes(exitCode);
  };
  const found = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(fits);
  if (found === undefined) return undefined;
  const exitCode = found.state?.terminated?.exitCode ?? 0;
  return `Container ${found.name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${exitCode}`;
}

function conditionMatch(
  { metadata, status }: AnyPod,
  patterns: readonly { readonly type: string; readonly status?: string | undefined }[],
): string | undefined {
  const found = (status?.conditions ?? []).find((condition) =>
    patterns.some((pattern) => pattern.type === condition.type && pattern.status === condition.status),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}
