import { describe, expect, it } from "vitest";
import type { Ending, Health, Instance, ObservedPod, PodAction } from "../model/types.ts";
import { containerNamed, observedOf, podOf, runOf } from "../testing/pods.ts";
import { planPod } from "./plan-pod.ts";

const app = podOf();
const withInit = podOf({
  spec: {
    initContainers: [containerNamed("one"), containerNamed("two")],
    containers: [containerNamed("app")],
  },
});
const withSidecar = podOf({
  spec: {
    restartPolicy: "Never",
    initContainers: [containerNamed("proxy", { restartPolicy: "Always" }), containerNamed("one")],
    containers: [containerNamed("app")],
  },
});
const debugSpec = {
  initContainers: [containerNamed("one")],
  containers: [containerNamed("app")],
  ephemeralContainers: [{ name: "debug", image: "busybox" }],
};
const withDebug = podOf({ spec: debugSpec });
const debugged = podOf({
  spec: debugSpec,
  status: {
    ephemeralContainerStatuses: [
      {
        name: "debug",
        image: "busybox",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
      },
    ],
  },
});
const never = podOf({ spec: { restartPolicy: "Never" } });
const onFailure = podOf({ spec: { restartPolicy: "OnFailure" } });
const deleted: Ending = { why: "deleted", graceSeconds: 30 };
const gone: Ending = { why: "gone", graceSeconds: 30 };
const finished: Ending = { why: "finished", graceSeconds: 30 };
const failing: Health = { started: true, ready: false, failed: "liveness" };

/** An action in one word or two. */
function said(action: PodAction): string {
  switch (action.type) {
    case "start":
      return `start ${action.container.name} ${action.attempt}`;
    case "stop":
    case "remove":
      return `${action.type} ${action.instance.id}`;
    case "cancel-start":
      return `cancel ${action.name}`;
    default:
      return action.type;
  }
}

interface Case {
  readonly when: string;
  readonly observed: ObservedPod;
  readonly does: readonly string[];
}

const up: readonly Case[] = [
  {
    when: "nothing is there yet",
    observed: observedOf(app, { sandbox: { state: "unfinished" } }),
    does: ["prepare"],
  },
  {
    when: "the sandbox is being made",
    observed: observedOf(app, { sandbox: { state: "preparing" } }),
    does: [],
  },
  {
    when: "the sandbox failed and its time has not come",
    observed: observedOf(app, { sandbox: { state: "unfinished", retryAt: 10_001 } }),
    does: [],
  },
  { when: "the sandbox is ready", observed: observedOf(app), does: ["start app 0"] },
  {
    when: "a start is under way",
    observed: observedOf(app, { busy: new Map([["app", "starting"]]) }),
    does: [],
  },
  { when: "it runs", observed: observedOf(app, { instances: [runOf("app", "running")] }), does: [] },
  {
    when: "an object of a volume changed",
    observed: observedOf(app, { instances: [runOf("app", "running")], refresh: true }),
    does: ["refresh"],
  },
  {
    when: "a start was left half done by an agent that was killed",
    observed: observedOf(app, { instances: [runOf("app", "created")] }),
    does: ["remove app-0", "start app 0"],
  },
  {
    when: "the runtime forgot a run that a log tells of",
    observed: observedOf(app, { lastAttempts: new Map([["app", 3]]) }),
    does: ["start app 4"],
  },
  {
    when: "nothing is left but the report that it ran",
    observed: observedOf(
      podOf({
        status: {
          containerStatuses: [
            {
              name: "app",
              image: "app:1",
              imageID: "",
              ready: true,
              restartCount: 2,
              state: { running: {} },
            },
          ],
        },
      }),
    ),
    does: ["start app 3"],
  },
  {
    when: "its network is gone: what runs in it cannot go on",
    observed: observedOf(app, { sandbox: { state: "lost" }, instances: [runOf("app", "running")] }),
    does: ["remove app-0"],
  },
  {
    when: "nothing of the earlier life is left",
    observed: observedOf(app, { sandbox: { state: "lost" } }),
    does: ["prepare"],
  },
  {
    when: "an ephemeral container was added, also before the init containers are through",
    observed: observedOf(withDebug, { instances: [runOf("one", "running")] }),
    does: ["start debug 0"],
  },
  {
    when: "an ephemeral container has failed: it runs once",
    observed: observedOf(withDebug, {
      instances: [runOf("one", "running"), runOf("debug", "exited", { exitCode: 1 })],
    }),
    does: [],
  },
  {
    when: "nothing is left of an ephemeral container but its log",
    observed: observedOf(withDebug, {
      instances: [runOf("one", "running")],
      lastAttempts: new Map([["debug", 0]]),
    }),
    does: [],
  },
  {
    when: "nothing is left of an ephemeral container but what was reported of it",
    observed: observedOf(debugged, { instances: [runOf("one", "running")] }),
    does: [],
  },
];

const initial: readonly Case[] = [
  { when: "it begins", observed: observedOf(withInit), does: ["start one 0"] },
  {
    when: "the first runs",
    observed: observedOf(withInit, { instances: [runOf("one", "running")] }),
    does: [],
  },
  {
    when: "the first has succeeded",
    observed: observedOf(withInit, { instances: [runOf("one", "exited")] }),
    does: ["start two 0"],
  },
  {
    when: "the second failed",
    observed: observedOf(withInit, {
      instances: [runOf("one", "exited"), runOf("two", "exited", { exitCode: 1 })],
    }),
    does: ["start two 1"],
  },
  {
    when: "all have succeeded",
    observed: observedOf(withInit, { instances: [runOf("one", "exited"), runOf("two", "exited")] }),
    does: ["start app 0"],
  },
  {
    when: "the pod has begun: init containers that are gone do not run again",
    observed: observedOf(withInit, { instances: [runOf("app", "exited", { exitCode: 1 })] }),
    does: ["start app 1"],
  },
  { when: "a sidecar comes first", observed: observedOf(withSidecar), does: ["start proxy 0"] },
  {
    when: "a sidecar is not started by its probe",
    observed: observedOf(withSidecar, {
      instances: [runOf("proxy", "running")],
      health: new Map([["proxy-0", { started: false, ready: false, failed: undefined }]]),
    }),
    does: [],
  },
  {
    when: "a sidecar runs",
    observed: observedOf(withSidecar, { instances: [runOf("proxy", "running")] }),
    does: ["start one 0"],
  },
  {
    when: "a sidecar ended while the pod runs",
    observed: observedOf(withSidecar, {
      instances: [runOf("proxy", "exited"), runOf("one", "exited"), runOf("app", "running")],
    }),
    does: ["start proxy 1"],
  },
  {
    when: "what a sidecar is there for has ended",
    observed: observedOf(withSidecar, {
      instances: [runOf("proxy", "running"), runOf("one", "exited"), runOf("app", "exited")],
    }),
    does: ["stop proxy-0"],
  },
];

const again: readonly Case[] = [
  {
    when: "it ended for the first time",
    observed: observedOf(app, { instances: [runOf("app", "exited")] }),
    does: ["start app 1"],
  },
  {
    when: "it ended and must not run again",
    observed: observedOf(never, { instances: [runOf("app", "exited", { exitCode: 1 })] }),
    does: [],
  },
  {
    when: "it succeeded and runs again only on failure",
    observed: observedOf(onFailure, { instances: [runOf("app", "exited")] }),
    does: [],
  },
  {
    when: "it failed and runs again on failure",
    observed: observedOf(onFailure, { instances: [runOf("app", "exited", { exitCode: 3 })] }),
    does: ["start app 1"],
  },
  {
    when: "it keeps ending",
    observed: observedOf(app, {
      instances: [runOf("app", "exited", { attempt: 1 })],
      backoffs: new Map([["app", { delayMs: 10_000, raisedAt: 1000 }]]),
    }),
    does: [],
  },
  {
    when: "it keeps ending and has waited",
    observed: observedOf(app, {
      now: 12_000,
      instances: [runOf("app", "exited", { attempt: 1 })],
      backoffs: new Map([["app", { delayMs: 10_000, raisedAt: 1000 }]]),
    }),
    does: ["start app 2"],
  },
  {
    when: "two ended runs are enough: the third goes",
    observed: observedOf(app, {
      instances: [
        runOf("app", "running", { attempt: 2 }),
        runOf("app", "exited", { attempt: 1 }),
        runOf("app", "exited", { attempt: 0 }),
      ],
    }),
    does: ["remove app-0"],
  },
  {
    when: "its liveness probe failed",
    observed: observedOf(app, {
      instances: [runOf("app", "running")],
      health: new Map([["app-0", failing]]),
    }),
    does: ["stop app-0"],
  },
  {
    when: "its liveness probe failed and it is being stopped",
    observed: observedOf(app, {
      instances: [runOf("app", "running")],
      health: new Map([["app-0", failing]]),
      busy: new Map([["app", "stopping"]]),
    }),
    does: [],
  },
];

const running: Instance = runOf("app", "running");
const down: readonly Case[] = [
  {
    when: "deleted while a container starts",
    observed: observedOf(app, { ending: deleted, busy: new Map([["app", "starting"]]) }),
    does: ["cancel app"],
  },
  {
    when: "deleted",
    observed: observedOf(app, { ending: deleted, instances: [running] }),
    does: ["stop app-0"],
  },
  {
    when: "deleted with a sidecar: that one goes last",
    observed: observedOf(withSidecar, { ending: deleted, instances: [runOf("proxy", "running"), running] }),
    does: ["stop app-0"],
  },
  {
    when: "only the sidecar is left",
    observed: observedOf(withSidecar, {
      ending: deleted,
      instances: [runOf("proxy", "running"), runOf("app", "exited")],
    }),
    does: ["stop proxy-0"],
  },
  {
    when: "all have ended",
    observed: observedOf(app, { ending: deleted, instances: [runOf("app", "exited")] }),
    does: ["clear"],
  },
  {
    when: "deleted while the sandbox is being made",
    observed: observedOf(app, { ending: deleted, sandbox: { state: "preparing" } }),
    does: ["clear"],
  },
  {
    when: "the sandbox is being cleared",
    observed: observedOf(app, { ending: deleted, sandbox: { state: "clearing" } }),
    does: [],
  },
  {
    when: "all is cleared: the object goes, the log stays until it is gone",
    observed: observedOf(app, {
      ending: deleted,
      sandbox: { state: "absent" },
      instances: [runOf("app", "exited")],
    }),
    does: ["delete"],
  },
  {
    when: "a finalizer keeps the object after our part is done",
    observed: observedOf(podOf({ metadata: { deletionGracePeriodSeconds: 0, finalizers: ["x/y"] } }), {
      ending: deleted,
      sandbox: { state: "absent" },
    }),
    does: [],
  },
  {
    when: "the object is gone",
    observed: observedOf(app, {
      ending: gone,
      sandbox: { state: "absent" },
      instances: [runOf("app", "exited")],
    }),
    does: ["remove app-0"],
  },
  {
    when: "nothing is left",
    observed: observedOf(app, { ending: gone, sandbox: { state: "absent" } }),
    does: ["forget"],
  },
  {
    when: "finished: network and volumes go, the ended container stays for its log",
    observed: observedOf(never, { ending: finished, instances: [runOf("app", "exited")] }),
    does: ["clear"],
  },
  {
    when: "finished and cleared",
    observed: observedOf(never, {
      ending: finished,
      sandbox: { state: "absent" },
      instances: [runOf("app", "exited")],
    }),
    does: [],
  },
];

describe.each([
  ["on the way up", up],
  ["init containers", initial],
  ["what has ended", again],
  ["on the way out", down],
] as const)("%s", (_title, cases) => {
  it.each(cases)("$when → $does", ({ observed, does }) => {
    expect(planPod(observed).actions.map(said)).toEqual(does);
  });
});

it("a container that keeps ending says so, and is looked at again when its time has come", () => {
  const plan = planPod(
    observedOf(app, {
      instances: [runOf("app", "exited", { attempt: 1 })],
      backoffs: new Map([["app", { delayMs: 20_000, raisedAt: 1000 }]]),
    }),
  );
  expect(plan.wakeAt).toBe(22_000);
  expect(plan.waiting.get("app")).toEqual({
    reason: "CrashLoopBackOff",
    message:
      "back-off 20s restarting failed container=app pod=web-0_default(11111111-2222-3333-4444-555555555555)",
  });
});

it("a pull that failed is an error first, then a back-off", () => {
  const failure = { reason: "ErrImagePull", message: "no", count: 1, failedAt: 9000, until: 19_000 };
  const observed = observedOf(app, { failures: new Map([["app", failure]]) });
  expect(planPod(observed).waiting.get("app")?.reason).toBe("ErrImagePull");
  expect(planPod({ ...observed, now: 11_000 }).waiting.get("app")).toEqual({
    reason: "ImagePullBackOff",
    message: 'Back-off pulling image "app:1": ErrImagePull: no',
  });
  expect(planPod({ ...observed, now: 19_000 }).actions.map(said)).toEqual(["start app 0"]);
});

it("a container that failed its probe gets the probe's own grace period", () => {
  const pod = podOf({
    spec: { containers: [containerNamed("app", { livenessProbe: { terminationGracePeriodSeconds: 4 } })] },
  });
  const observed = observedOf(pod, { instances: [running], health: new Map([["app-0", failing]]) });
  expect(planPod(observed).actions).toMatchObject([
    { type: "stop", graceSeconds: 4, message: "Container app failed liveness probe, will be restarted" },
  ]);
});
