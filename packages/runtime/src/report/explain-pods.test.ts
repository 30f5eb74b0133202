import { resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim, Pod, PodStatus } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { explainPods } from "./explain-pods.ts";

const metadata = {
  namespace: "a",
  name: "p-0",
  uid: uid("u"),
  resourceVersion: resourceVersion("1"),
  creationTimestamp: "2026-11-16T00:00:00Z",
};

function pod(status: PodStatus, more: object = {}): DeepReadonly<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, ...more },
    spec: { containers: [] },
    status,
  };
}

function container(state: object, lastState: object = {}) {
  return { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state, lastState };
}

const running = { running: { startedAt: "2026-11-16T00:00:00Z" } };
const ended = { terminated: { exitCode: 1, reason: "Error" } };

describe("why pods are not ready", () => {
  it.each<[string, DeepReadonly<Pod>, string | undefined]>([
    ["nothing is known", pod({}), undefined],
    [
      "no node fits",
      pod({ conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes" }] }),
      "pod p-0 is on no node: 0/1 nodes",
    ],
    [
      "the image cannot be had",
      pod({ containerStatuses: [container({ waiting: { reason: "ErrImagePull", message: "no such" } })] }),
      "pod p-0 has a container c that waits: ErrImagePull: no such",
    ],
    [
      "an init container waits",
      pod({ initContainerStatuses: [container({ waiting: { reason: "CrashLoopBackOff" } })] }),
      "pod p-0 has a container c that waits: CrashLoopBackOff",
    ],
    [
      "an ordinary step of a start",
      pod({ containerStatuses: [container({ waiting: { reason: "ContainerCreating" } })] }),
      undefined,
    ],
    [
      "it ended",
      pod({ containerStatuses: [container(ended)] }),
      "pod p-0 has a container c that ended with exit code 1 (Error)",
    ],
    ["it ended before and runs again", pod({ containerStatuses: [container(running, ended)] }), undefined],
    ["it is done", pod({ initContainerStatuses: [container({ terminated: { exitCode: 0 } })] }), undefined],
    ["it goes", pod({}, { deletionTimestamp: "2026-11-16T01:00:00Z" }), "pod p-0 is being stopped"],
  ])("%s", (_what, given, expected) => {
    expect(explainPods([given], [])).toBe(expected);
  });

  it("is a claim without a volume, when no pod says more", () => {
    const claim: DeepReadonly<PersistentVolumeClaim> = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { ...metadata, name: "data-0" },
      spec: {},
      status: { phase: "Pending" },
    };
    expect(explainPods([pod({})], [claim])).toBe("claim data-0 has no volume yet");
  });
});
