import { describe, expect, it } from "vitest";
import type { PodStatus } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod } from "../model/types.ts";
import { containerNamed, podOf, runOf } from "../testing/pods.ts";
import type { StatusInput } from "./container-statuses.ts";
import { podStatusOf } from "./pod-status.ts";

function statusOf(pod: ApiPod, more: Partial<StatusInput> = {}): PodStatus {
  return podStatusOf({
    pod,
    now: Date.UTC(2026, 0, 1),
    old: pod.status,
    instances: [],
    health: new Map(),
    waiting: new Map(),
    ended: false,
    scheme: "runc",
    hostAddress: "192.0.2.1",
    podAddress: "10.244.0.2",
    ...more,
  });
}

function summary({
  phase,
  conditions,
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus): object {
  return {
    phase,
    conditions: conditions
      ?.filter(({ status }) => status === "True")
      .map(({ type }) => type)
      .join(" "),
    containers: [...initContainerStatuses, ...containerStatuses].map(
      ({ name, state, ready, restartCount }) =>
        `${name} ${state?.waiting?.reason ?? state?.terminated?.reason ?? "Running"} ${ready ? "ready" : "-"} ${restartCount}`,
    ),
  };
}

const app = podOf();
const never = podOf({ spec: { restartPolicy: "Never" } });
const withInit = podOf({
  spec: { initContainers: [containerNamed("init")], containers: [containerNamed("app")] },
});
const probed = podOf({
  spec: { containers: [containerNamed("app", { readinessProbe: { tcpSocket: { port: 1 } } })] },
});
const unready = new Map([["app-0", { started: true, ready: false, failed: undefined }]]);
const crash = new Map([["app", { reason: "CrashLoopBackOff", message: "back-off" }]]);

describe("a pod's status, phase by phase", () => {
  it.each([
    {
      when: "it has no network yet",
      status: statusOf(app, { podAddress: undefined }),
      phase: "Pending",
      conditions: "Initialized PodScheduled",
      containers: ["app ContainerCreating - 0"],
    },
    {
      when: "its init container runs",
      status: statusOf(withInit, { instances: [runOf("init", "running")] }),
      phase: "Pending",
      conditions: "PodReadyToStartContainers PodScheduled",
      containers: ["init Running - 0", "app PodInitializing - 0"],
    },
    {
      when: "its init container has succeeded",
      status: statusOf(withInit, { instances: [runOf("init", "exited")] }),
      phase: "Pending",
      conditions: "PodReadyToStartContainers Initialized PodScheduled",
      containers: ["init Completed ready 0", "app PodInitializing - 0"],
    },
    {
      when: "it runs without probes",
      status: statusOf(app, { instances: [runOf("app", "running")] }),
      phase: "Running",
      conditions: "PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled",
      containers: ["app Running ready 0"],
    },
    {
      when: "its readiness probe has not succeeded",
      status: statusOf(probed, { instances: [runOf("app", "running")], health: unready }),
      phase: "Running",
      conditions: "PodReadyToStartContainers Initialized PodScheduled",
      containers: ["app Running - 0"],
    },
    {
      when: "it keeps failing",
      status: statusOf(app, {
        instances: [runOf("app", "exited", { exitCode: 1, attempt: 4 })],
        waiting: crash,
      }),
      phase: "Running",
      conditions: "PodReadyToStartContainers Initialized PodScheduled",
      containers: ["app CrashLoopBackOff - 4"],
    },
    {
      when: "it has succeeded and stays so",
      status: statusOf(never, { instances: [runOf("app", "exited")] }),
      phase: "Succeeded",
      conditions: "PodReadyToStartContainers Initialized PodScheduled",
      containers: ["app Completed - 0"],
    },
    {
      when: "it ran out of memory",
      status: statusOf(never, { instances: [runOf("app", "exited", { exitCode: 137, oomKilled: true })] }),
      phase: "Failed",
      conditions: "PodReadyToStartContainers Initialized PodScheduled",
      containers: ["app OOMKilled - 0"],
    },
    {
      when: "it was deleted and all has ended",
      status: statusOf(app, {
        instances: [runOf("app", "exited", { exitCode: 143 })],
        ended: true,
        podAddress: undefined,
      }),
      phase: "Failed",
      conditions: "Initialized PodScheduled",
      containers: ["app Error - 0"],
    },
  ])("$when", ({ status, phase, conditions, containers }) => {
    const seen = summary(status);
    expect(seen).toMatchObject({ phase, containers });
    const types = (text: unknown): string[] => String(text).split(" ").toSorted();
    expect(types(Reflect.get(seen, "conditions"))).toEqual(types(conditions));
  });
});

it("a restarted container tells how the run before ended", () => {
  const status = statusOf(app, {
    instances: [
      runOf("app", "running", { attempt: 1 }),
      runOf("app", "exited", { exitCode: 7, message: "oh" }),
    ],
  });
  expect(status.containerStatuses).toMatchObject([
    {
      containerID: "runc://app-1",
      restartCount: 1,
      lastState: { terminated: { exitCode: 7, reason: "Error", message: "oh", containerID: "runc://app-0" } },
    },
  ]);
});

it("a container that ran and of which nothing is left counts as ended, once", () => {
  const first = statusOf(app, { instances: [runOf("app", "running")] });
  const second = statusOf(podOf({ status: first }));
  const third = statusOf(podOf({ status: second }));
  for (const status of [second, third]) {
    expect(status.phase).toBe("Running");
    expect(status.containerStatuses).toMatchObject([
      { restartCount: 1, lastState: { terminated: { reason: "ContainerStatusUnknown", exitCode: 137 } } },
    ]);
  }
});

it("a container that ended when the node was stopped tells how", () => {
  const first = statusOf(app, { instances: [runOf("app", "running")] });
  const end = runOf("app", "exited", { exitCode: 0, finishedAt: Date.parse("2026-01-01T00:00:09Z") });
  const pastEnd = (id: string) => (id === end.id ? end : undefined);
  const second = statusOf(podOf({ status: first }), { pastEnd });
  const third = statusOf(podOf({ status: second }), { pastEnd });
  for (const status of [second, third])
    expect(status.containerStatuses).toMatchObject([
      {
        restartCount: 1,
        lastState: { terminated: { reason: "Completed", exitCode: 0, finishedAt: "2026-01-01T00:00:09Z" } },
      },
    ]);
});

it("a last phase is never left, and keeps its reason", () => {
  const status: PodStatus = { phase: "Failed", reason: "DeadlineExceeded", message: "late" };
  expect(statusOf(podOf({ status }), { instances: [runOf("app", "running")] })).toMatchObject(status);
});

it("conditions of others stay, and ours change their time only with their status", () => {
  const status: PodStatus = {
    conditions: [
      { type: "example.com/gate", status: "False" },
      { type: "Ready", status: "False", lastTransitionTime: "2025-01-01T00:00:00Z" },
      { type: "PodScheduled", status: "True", lastTransitionTime: "2025-01-01T00:00:00Z" },
    ],
  };
  const pod = podOf({ status, spec: { readinessGates: [{ conditionType: "example.com/gate" }] } });
  expect(statusOf(pod, { instances: [runOf("app", "running")] }).conditions).toMatchObject([
    { type: "example.com/gate", status: "False" },
    {
      type: "Ready",
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'the status of pod readiness gate "example.com/gate" is not "True", but False',
      lastTransitionTime: "2025-01-01T00:00:00Z",
    },
    { type: "PodScheduled", lastTransitionTime: "2025-01-01T00:00:00Z" },
    { type: "PodReadyToStartContainers", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
    { type: "Initialized", status: "True" },
    { type: "ContainersReady", status: "True" },
  ]);
});
