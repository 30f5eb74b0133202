import { isJsonObject } from "@kedge/machinery";
import type { Container, Pod, PodSpec, PodStatus } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of pods and, where they apply to both, of pod templates. */
export const podDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.core.v1.Pod", setPod],
  ["io.k8s.api.core.v1.PodSpec", setPodSpec],
  ["io.k8s.api.core.v1.PodStatus", setPodStatus],
];

/** What only pods get, not the templates that they are made from. */
function setPod(pod: Decoded<Pod>): void {
  const spec = (pod.spec ??= {});
  // An item may be null until the list itself is normalized.
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].filter((one) =>
    isJsonObject(one),
  );
  for (const container of containers) setRequests(container);
  spec.enableServiceLinks ??= true;
  // What is negative has always been treated so.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  if (spec.hostNetwork === true) for (const container of containers) setHostPorts(container);
}

function setPodSpec(spec: Decoded<PodSpec>): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  // Two names of one field: the newer one decides.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account === undefined) return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}

/** The older field of a single address is the first of the newer list. Of the node's own it is not so. */
function setPodStatus(status: Decoded<PodStatus>): void {
  if (status.podIP !== undefined && status.podIPs?.[0]?.ip !== status.podIP)
    status.podIPs = [{ ip: status.podIP }];
  const [first] = status.podIPs ?? [];
  if (first?.ip !== undefined) status.podIP = first.ip;
}

function setRequests(container: Decoded<Container>): void {
  const { resources } = container;
  // Frozen is a part of a stored pod, which got them when it was written.
  if (resources?.limits === undefined || Object.isFrozen(resources)) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function setHostPorts(container: Decoded<Container>): void {
  for (const port of container.ports ?? []) if (!Object.isFrozen(port)) port.hostPort ??= port.containerPort;
}
