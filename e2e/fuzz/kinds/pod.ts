import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { podSpec } from "./pod-spec.ts";

/** Pods, with what a kubelet says of them. */
export const pod: FuzzKind = {
  apiVersion: "v1",
  kind: "Pod",
  path: `/api/v1/namespaces/${fuzzNamespace}/pods`,
  strategic: true,
  make: (choose) => ({ spec: podSpec(choose) }),
  status: podStatus,
};

function podStatus(choose: Chooser): JsonObject {
  return choose.fields({
    phase: [70, () => choose.one(["Pending", "Running", "Succeeded", "Failed"])],
    podIP: [30, () => choose.one(["10.1.2.3"], ["x"])],
    hostIP: [20, () => "10.0.0.1"],
    reason: [10, () => "Evicted"],
    conditions: [
      40,
      () =>
        choose.named(["Ready", "Initialized", "PodScheduled"], 2, (type) => ({
          type,
          status: choose.one(["True", "False"]),
          lastProbeTime: null,
          lastTransitionTime: "2026-01-02T03:04:05Z",
        })),
    ],
    containerStatuses: [
      50,
      () => choose.named(["a", "b", "web"], 2, (name) => containerStatus(choose, name)),
    ],
    initContainerStatuses: [15, () => [containerStatus(choose, "i")]],
    startTime: [30, () => "2026-01-02T03:04:05Z"],
  });
}

function containerStatus(choose: Chooser, name: string): JsonObject {
  return {
    name,
    image: "c",
    imageID: "",
    ready: choose.maybe(),
    restartCount: choose.random.int(3),
    state: choose.one<JsonObject>([
      {},
      { running: { startedAt: "2026-01-02T03:04:05Z" } },
      { waiting: { reason: "CrashLoopBackOff", message: "m" } },
      { terminated: { exitCode: 1, reason: "Error" } },
      { terminated: { exitCode: 0, signal: 9 } },
    ]),
  };
}
