import type { DeepReadonly } from "@kedge/machinery";
import type { Container, Pod } from "@kedge/machinery/kinds/core/v1";
import { milliValue } from "./amounts.ts";

type AnyPod = DeepReadonly<Pod>;
type AnyContainer = DeepReadonly<Container>;

/** What a pod, or one of its containers, asks for of a resource, in thousandths. Throws when it does not say. */
export function requestOf(pod: AnyPod, resource: string, container: string | undefined): bigint {
  if (container !== undefined) return containerRequest(pod, resource, container);
  const asked = Object.keys(pod.spec.resources?.requests ?? {});
  if (asked.some(isOfPods)) return podLevelRequest(pod, resource);
  return runningContainers(pod).reduce((sum, each) => sum + ownRequest(pod, each, resource), 0n);
}

function isOfPods(resource: string): boolean {
  return resource === "cpu" || resource === "memory" || resource.startsWith("hugepages-");
}

/** Containers that run while the pod works: sidecars too. */
function runningContainers({ spec }: AnyPod): readonly AnyContainer[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars];
}

function containerRequest(pod: AnyPod, resource: string, container: string): bigint {
  const found = runningContainers(pod).find(({ name }) => name === container);
  if (found === undefined) throw new Error(`container ${container} not found in Pod ${pod.metadata.name}`);
  return ownRequest(pod, found, resource);
}

function ownRequest({ metadata }: AnyPod, { name, resources }: AnyContainer, resource: string): bigint {
  const text = resources?.requests?.[resource];
  if (text === undefined)
    throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
  return milliValue(text);
}

/** What is said of the pod as a whole, else what its containers need together at most; and its overhead. */
function podLevelRequest(pod: AnyPod, resource: string): bigint {
  const { spec, metadata } = pod;
  const own = isOfPods(resource) ? spec.resources?.requests?.[resource] : undefined;
  const overhead = spec.overhead?.[resource];
  const needed = own === undefined ? neededByContainers(pod, resource) : milliValue(own);
  if (needed === undefined && overhead === undefined)
    throw new Error(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
  return (needed ?? 0n) + (overhead === undefined ? 0n : milliValue(overhead));
}

function neededByContainers({ spec }: AnyPod, resource: string): bigint | undefined {
  const amount = ({ resources }: AnyContainer): bigint => milliValue(resources?.requests?.[resource] ?? "0");
  const inits = spec.initContainers ?? [];
  if ([...spec.containers, ...inits].every(({ resources }) => resources?.requests?.[resource] === undefined))
    return undefined;
  let sidecars = 0n;
  let starting = 0n;
  for (const container of inits) {
    const now = sidecars + amount(container);
    if (container.restartPolicy === "Always") sidecars = now;
    if (now > starting) starting = now;
  }
  const running = spec.containers.reduce((sum, each) => sum + amount(each), sidecars);
  return running > starting ? running : starting;
}
