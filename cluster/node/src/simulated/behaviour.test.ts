import { resourceVersion, uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import type { ApiPod } from "../model/types.ts";
import { behaviourOf } from "./behaviour.ts";

function podWith(annotations: Record<string, string>): ApiPod {
  const metadata = {
    namespace: "default",
    name: "p",
    uid: uid("u"),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations,
  };
  const spec = { initContainers: [{ name: "init" }], containers: [{ name: "main" }, { name: "other" }] };
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}

describe("what annotations tell a simulated container to do", () => {
  it.each([
    ["", {}],
    ["exit 3", { end: { exitCode: 3, oomKilled: false, afterMs: 0 } }],
    ["exit 0 after 1m30s", { end: { exitCode: 0, oomKilled: false, afterMs: 90_000 } }],
    ["oom after 500ms", { end: { exitCode: 137, oomKilled: true, afterMs: 500 } }],
    ["fail pull", { failsPull: true }],
    ["fail readiness, ignore term", { failing: { readiness: 0 }, ignoresTerm: true }],
    ["fail startup, fail liveness after 10s", { failing: { startup: 0, liveness: 10_000 } }],
  ])("%j", (text, behaviour) => {
    expect(behaviourOf(podWith({ "kedge.dev/simulate": text }), "main")).toEqual(behaviour);
  });

  it.each([
    "crash",
    "exit",
    "exit 256",
    "exit -1",
    "exit 1 after",
    "exit 1 after soon",
    "exit 1 after -1s",
    "exit 1 in 10s",
    "exit 1 after 10s please",
    "oom 10s",
    "fail pull after 10s",
    "fail everything",
    "exit 1,",
  ])("%j is refused with the rule", (text) => {
    expect(() => behaviourOf(podWith({ "kedge.dev/simulate": text }), "main")).toThrow(
      `annotation kedge.dev/simulate: ${JSON.stringify(text)}: must be a list of: exit CODE [after TIME]`,
    );
  });

  it("one container can be told something else; init containers are told nothing else", () => {
    const pod = podWith({
      "kedge.dev/simulate": "exit 1",
      "simulate.kedge.dev/other": "oom",
      "simulate.kedge.dev/init": "fail pull",
    });
    expect(behaviourOf(pod, "main")).toMatchObject({ end: { exitCode: 1 } });
    expect(behaviourOf(pod, "other")).toMatchObject({ end: { oomKilled: true } });
    expect(behaviourOf(pod, "init")).toEqual({ failsPull: true });
    expect(behaviourOf(podWith({ "kedge.dev/simulate": "exit 1" }), "init")).toEqual({});
  });
});
