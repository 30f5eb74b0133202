import { findCondition, type DeepReadonly } from "@kedge/machinery";
import type { ContainerStateTerminated, Pod } from "@kedge/machinery/kinds/core/v1";
import { heldExitCode, namesOf, paths } from "../names.ts";
import type { Observed } from "../observe.ts";

/**
 * Why the primary does not serve although it could, and what to do about it: it has lost its data, and its peers have
 * some that they would throw away when they follow it. Undefined when that is not so. See `specs/start-script.ts`.
 */
export function heldPrimary({
  instance,
  pods,
  peers,
}: Pick<Observed, "instance" | "pods" | "peers">): string | undefined {
  const { namespace, name } = instance.metadata;
  const { primaryPod } = namesOf(name);
  const pod = pods.find(({ metadata }) => metadata.name === primaryPod);
  const ended = pod === undefined ? undefined : heldSince(pod);
  if (ended === undefined) return undefined;
  const decide = (what: string): string =>
    `kubectl exec -n ${namespace} ${primaryPod} -c redis -- sh -c 'echo ${what} > ${paths.state}/decision'`;
  const asked = Number(peers?.data?.["replicas"] ?? 0);
  const scaled = `kubectl scale -n ${namespace} redisinstance ${name} --replicas=${asked}`;
  return [
    `The primary is not started, because its replicas would lose their data to it: ${ended.message?.trim() ?? ""}`,
    // The container ends only once to tell us; what its peers say after that is in its log, line by line.
    `So it was at ${ended.finishedAt ?? "its end"}; what it has found since: kubectl logs -n ${namespace} ${primaryPod} -c redis --tail=1`,
    ...(asked > instance.spec.replicas ? [`Pods that were scaled away may have it: ${scaled}`] : []),
    `As soon as its container runs, decide. To take a replica's data: ${decide("restore")}`,
    `To go on without it, for good: ${decide("discard")}`,
  ].join(" ");
}

/** The end that told us so, unless the server has been ready since. */
function heldSince({
  metadata,
  status,
}: DeepReadonly<Pod>): DeepReadonly<ContainerStateTerminated> | undefined {
  const container = status?.containerStatuses?.find(({ name }) => name === "redis");
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  const ready = findCondition(status?.conditions, "Ready");
  if (metadata.deletionTimestamp !== undefined || ended?.exitCode !== heldExitCode) return undefined;
  if (ready?.status === "True") return undefined;
  const notReadySince = Date.parse(ready?.lastTransitionTime ?? "");
  return notReadySince > Date.parse(ended.finishedAt ?? "") ? undefined : ended;
}
