import { resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { Container, Pod, PodSpec, PodStatus } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod, Instance, ObservedPod } from "../model/types.ts";

/** A pod as the API server shows it: what a test does not say is the plainest. */
export function podOf(
  options: {
    readonly metadata?: Partial<Pod["metadata"]>;
    readonly spec?: Partial<PodSpec>;
    readonly status?: PodStatus;
  } = {},
): ApiPod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "default",
      name: "web-0",
      uid: uid("11111111-2222-3333-4444-555555555555"),
      resourceVersion: resourceVersion("1"),
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
      ...options.metadata,
    },
    spec: {
      nodeName: "node-1",
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      containers: [containerNamed("app")],
      ...options.spec,
    },
    status: options.status ?? { phase: "Pending", qosClass: "BestEffort" },
  };
}

/** A container of a pod's spec. */
export function containerNamed(name: string, more: Partial<Container> = {}): Container {
  return { name, image: "app:1", ...more };
}

/** A run of a container. */
export function runOf(name: string, state: Instance["state"], more: Partial<Instance> = {}): Instance {
  return {
    id: `${name}-${more.attempt ?? 0}`,
    name,
    attempt: 0,
    state,
    startedAt: 1000,
    finishedAt: state === "exited" ? 2000 : undefined,
    exitCode: state === "exited" ? 0 : undefined,
    oomKilled: false,
    image: "app:1",
    imageId: "sha256:app",
    resources: undefined,
    message: undefined,
    ...more,
  };
}

/** What is seen of a pod whose sandbox is ready. */
export function observedOf(pod: DeepReadonly<Pod>, more: Partial<ObservedPod> = {}): ObservedPod {
  return {
    pod,
    now: 10_000,
    sandbox: { state: "ready" },
    ending: undefined,
    instances: [],
    lastAttempts: new Map(),
    busy: new Map(),
    failures: new Map(),
    backoffs: new Map(),
    health: new Map(),
    refresh: false,
    lookAt: undefined,
    ...more,
  };
}
