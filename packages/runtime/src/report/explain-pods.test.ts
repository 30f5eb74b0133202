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

function pod(status: PodStatus, more: object = {}, volumes: Pod["spec"]["volumes"] = []): DeepReadonly<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, ...more },
    spec: { containers: [], volumes },
    status,
  };
}

function container(state: object, lastState: object = {}) {
  return { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state, lastState };
}

const running = { running: { startedAt: "2026-11-16T00:00:10Z" } };
const ended = (exitCode = 1, reason = "Error", message = "") => ({
  terminated: { exitCode, reason, message, finishedAt: "2026-11-16T00:00:09Z" },
});
const waits = (reason: string, message?: string) => ({ waiting: { reason, message } });
const unready = (since: string) => [{ type: "Ready", status: "False", lastTransitionTime: since }];
const server = (state: object, lastState: object = {}) =>
  pod({ containerStatuses: [container(state, lastState)] });
const has = "pod p-0 has a container c that";

describe("why pods are not ready", () => {
  it.each<[string, DeepReadonly<Pod>, string, string, boolean]>([
    [
      "no node fits",
      pod({
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" },
        ],
      }),
      "Unschedulable",
      "pod p-0 is on no node: 0/1 nodes",
      true,
    ],
    [
      "the image cannot be had",
      server(waits("ErrImagePull", "no such")),
      "ErrImagePull",
      `${has} waits: ErrImagePull: no such`,
      true,
    ],
    [
      "the image is not asked for at the moment",
      server(waits("ImagePullBackOff", 'Back-off pulling image "nope:1": ErrImagePull: no such')),
      "ErrImagePull",
      `${has} waits: ErrImagePull: no such`,
      true,
    ],
    [
      "a Secret is missing",
      server(waits("CreateContainerConfigError", 'secret "a" not found')),
      "CreateContainerConfigError",
      `${has} waits: CreateContainerConfigError: secret "a" not found`,
      true,
    ],
    [
      "an init container fails",
      pod({ initContainerStatuses: [container(waits("CrashLoopBackOff", "back-off 10s"))] }),
      "CrashLoopBackOff",
      `${has} waits: CrashLoopBackOff`,
      true,
    ],
    [
      "it ended",
      server(ended(1, "Error", "one\ntwo\n\nthree\nfour\n")),
      "Error",
      `${has} ended with exit code 1 (Error): two | three | four`,
      true,
    ],
    [
      "it ends again and again",
      server(waits("CrashLoopBackOff", "back-off 20s"), ended(1, "Error", "Bad directive")),
      "CrashLoopBackOff",
      `${has} ended with exit code 1 (Error): Bad directive`,
      true,
    ],
    [
      "it ended and runs again, not ready yet",
      pod({
        containerStatuses: [container(running, ended(1, "Error", "Bad directive"))],
        conditions: unready("2026-11-16T00:00:09Z"),
      }),
      "Error",
      `${has} ended with exit code 1 (Error): Bad directive`,
      true,
    ],
    [
      "it was ready after its end, and is not now",
      pod({
        containerStatuses: [container(running, ended())],
        conditions: unready("2026-11-16T00:05:00Z"),
      }),
      "NotReady",
      `${has} runs and is not ready`,
      false,
    ],
    [
      "memory",
      server(waits("CrashLoopBackOff"), ended(137, "OOMKilled", "all is well")),
      "OOMKilled",
      `${has} ended with exit code 137 (OOMKilled), as it needed more memory than its limit`,
      true,
    ],
    [
      "it was evicted",
      pod({ phase: "Failed", reason: "Evicted", message: "low on memory" }),
      "Evicted",
      "pod p-0 has failed: Evicted: low on memory",
      true,
    ],
    ["it starts", server(running), "NotReady", `${has} runs and is not ready`, false],
    [
      "it goes",
      pod({}, { deletionTimestamp: "2026-11-16T01:00:00Z" }),
      "PodStopping",
      "pod p-0 is being stopped",
      false,
    ],
  ])("%s", (_what, given, reason, message, isWarning) => {
    expect(explainPods([given], [])).toEqual({ reason, message, isWarning });
  });

  it.each<[string, DeepReadonly<Pod>]>([
    ["nothing is known", pod({})],
    ["an ordinary step of a start", server(waits("ContainerCreating"))],
    ["it is done", pod({ initContainerStatuses: [container(ended(0, "Completed"))] })],
    [
      "it is ready",
      pod({
        containerStatuses: [container(running, ended())],
        conditions: [{ type: "Ready", status: "True" }],
      }),
    ],
  ])("nobody has said: %s", (_what, given) => {
    expect(explainPods([given], [])).toBeUndefined();
  });

  it("is what will not go by itself, before what passes", () => {
    const going = pod({}, { deletionTimestamp: "2026-11-16T01:00:00Z" });
    const bad = pod({ containerStatuses: [container(ended())] }, { name: "p-1" });
    expect(explainPods([going, bad], [])?.message).toContain("pod p-1");
  });

  it("is the same in whatever order pods come", () => {
    const all = ["p-10", "p-2", "p-1"].map((name) =>
      pod({ containerStatuses: [container(running)] }, { name }),
    );
    expect(explainPods(all, [])?.message).toContain("pod p-1 ");
    expect(explainPods(all.slice(0, 2), [])?.message).toContain("pod p-2 ");
    expect(explainPods(all.toReversed(), [])).toEqual(explainPods(all, []));
  });

  const claim: DeepReadonly<PersistentVolumeClaim> = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name: "data-0" },
    spec: {},
    status: { phase: "Pending" },
  };

  it("is a claim without a volume, when a pod waits for it and says no more", () => {
    const user = pod({}, {}, [{ name: "data", persistentVolumeClaim: { claimName: "data-0" } }]);
    expect(explainPods([user], [claim])).toEqual({
      reason: "VolumePending",
      message: "pod p-0 waits for a volume: claim data-0 has none yet",
      isWarning: false,
    });
    expect(explainPods([pod({})], [claim])).toBeUndefined();
    expect(explainPods([], [claim])).toBeUndefined();
  });

  it("is told in words that are the same each time, and no secrets", () => {
    const given = server(ended(1, "Error", "12:00 password x"));
    const options = { lastWords: (text: string) => text.replace(/.* password .*/u, "hidden") };
    expect(explainPods([given], [], options)?.message).toBe(`${has} ended with exit code 1 (Error): hidden`);
  });

  it("is short, however much was logged", () => {
    const message =
      explainPods([server(ended(1, "Error", "\u001B[31mword ".repeat(9999)))], [])?.message ?? "";
    expect(message.length).toBeLessThan(400);
    // eslint-disable-next-line no-control-regex
    expect(message).not.toMatch(/[\u0000-\u001F]/u);
  });
});
