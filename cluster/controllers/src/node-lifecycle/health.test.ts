import { formatMicroTime, formatTime } from "@kedge/machinery";
import type { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { describe, expect, it } from "vitest";
import { ago, node, now, stored } from "../testing/builders.ts";
import { judgeHealth, type NodeHealth } from "./health.ts";

const times = { monitorGracePeriod: 50_000, startupGracePeriod: 60_000 };
const renewed = (at: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: stored("node-1"),
  spec: { renewTime: formatMicroTime(at) },
});
const heard = (seconds: number, more: Partial<NodeHealth> = {}): NodeHealth => ({
  heardAt: now - seconds * 1000,
  heartbeat: ago(30),
  renewedAt: undefined,
  ...more,
});

describe("a node is heard of", () => {
  const ready = node("node-1", "True");
  it.each<[string, Parameters<typeof judgeHealth>[0], number]>([
    ["when it is seen for the first time", { node: ready, lease: undefined, before: undefined, now }, 0],
    [
      "when its status has a new heartbeat",
      { node: ready, lease: undefined, before: heard(40, { heartbeat: ago(70) }), now },
      0,
    ],
    [
      "when its first status comes",
      { node: ready, lease: undefined, before: heard(40, { heartbeat: undefined }), now },
      0,
    ],
    ["when its status is lost", { node: node("node-1"), lease: undefined, before: heard(40), now }, 0],
    ["when its lease comes", { node: ready, lease: renewed(now - 90_000), before: heard(40), now }, 0],
    [
      "when its lease is renewed",
      { node: ready, lease: renewed(now - 90_000), before: heard(40, { renewedAt: now - 100_000 }), now },
      0,
    ],
    [
      "not when nothing is new",
      { node: ready, lease: renewed(now), before: heard(40, { renewedAt: now }), now },
      40,
    ],
    [
      "since its creation while it has no status",
      { node: node("node-1"), lease: undefined, before: undefined, now },
      60,
    ],
  ])("%s", (_title, facts, secondsAgo) => {
    expect((now - judgeHealth(facts, times).health.heardAt) / 1000).toBe(secondsAgo);
  });
});

describe("a node that is silent", () => {
  const silent = (seconds: number, status?: string) =>
    judgeHealth(
      {
        node: node("node-1", status),
        lease: undefined,
        before: heard(seconds, status === undefined ? { heartbeat: undefined } : {}),
        now,
      },
      times,
    );

  it("is left alone for the grace period", () => {
    expect(silent(50, "True")).toMatchObject({ observed: "True", ready: "True", conditions: undefined });
    expect(silent(60)).toMatchObject({ observed: "Unknown", ready: undefined, conditions: undefined });
  });

  it("has unknown conditions after it, whatever they were", () => {
    for (const status of ["True", "False"]) {
      const { observed, ready, conditions } = silent(51, status);
      expect([observed, ready]).toEqual([status, "Unknown"]);
      expect(conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
        ["Ready", "Unknown", "NodeStatusUnknown"],
        ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
        ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
        ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
      ]);
      expect(conditions?.[0]).toMatchObject({
        lastHeartbeatTime: ago(30),
        lastTransitionTime: formatTime(now),
      });
    }
  });

  it("has unknown conditions also when it never said anything", () => {
    const { ready, conditions, health } = silent(61);
    expect(ready).toBe("Unknown");
    expect(conditions).toHaveLength(4);
    // What we write ourselves is no sign of life.
    expect(health.heartbeat).toBe(ago(60));
  });

  it("is written once", () => {
    expect(silent(500, "Unknown")).toMatchObject({ ready: "Unknown", conditions: undefined });
  });

  it("keeps what the control plane says of its network", () => {
    const network = { type: "NetworkUnavailable", status: "False" };
    const facts = {
      node: node("node-1", "True", { status: { conditions: [network] } }),
      lease: undefined,
      before: heard(61, { heartbeat: undefined }),
      now,
    };
    expect(judgeHealth(facts, times).conditions).toContainEqual(network);
  });
});
