import { resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { expect, it } from "vitest";
import { parseServer } from "./read-server.ts";
import { reportText } from "./report-text.ts";
import type { AskedPod } from "./asked-pod.ts";
import { reportOf } from "./report.ts";

const stored = { resourceVersion: resourceVersion("7"), creationTimestamp: "2026-11-16T00:00:00Z" };

function instanceOf(spec: object = {}, status: object = {}): DeepReadonly<RedisInstance> {
  const made = withDefaults(RedisInstance, {
    metadata: { name: "cache" },
    spec: { image: "redis:7.0", replicas: 3, ...spec },
  });
  return {
    ...made,
    metadata: { ...stored, namespace: "shop", name: "cache", uid: uid("instance") },
    status: {
      status: "Running",
      readyReplicas: "3/3",
      lastConditionMessage: "3 of 3 pods are ready.",
      ...status,
    },
  };
}

function podOn(name: string, node: string): DeepReadonly<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...stored, namespace: "shop", name, uid: uid(name) },
    spec: { containers: [], nodeName: node },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
}

/** What redis-cli prints for what we ask. */
function printed(more: Readonly<Record<string, string>> = {}, slow = "0", save = "3600 1"): string {
  const info = {
    redis_version: "7.0.15",
    run_id: "a".repeat(40),
    role: "master",
    master_replid: "b".repeat(40),
    master_repl_offset: "1000",
    used_memory: "1048576",
    maxmemory: "104857600",
    maxmemory_policy: "noeviction",
    connected_clients: "4",
    loading: "0",
    aof_enabled: "1",
    rdb_last_bgsave_status: "ok",
    aof_last_write_status: "ok",
    db0: "keys=12,expires=0,avg_ttl=0",
    ...more,
  };
  const lines = Object.entries(info).map(([key, value]) => `${key}:${value}`);
  return `${lines.join("\r\n")}\r\n\nkedge:slowlog\n${slow}\nkedge:save\nsave\n${save}\n`;
}

function asked(name: string, node: string, text: string): AskedPod {
  return { pod: podOn(name, node), server: parseServer(text) ?? new Error(text) };
}

const replica = {
  role: "slave",
  master_host: "10.0.0.1",
  master_port: "6379",
  master_link_status: "up",
  master_sync_in_progress: "0",
  slave_repl_offset: "900",
  master_repl_offset: "900",
};

it("is a page that says what there is, and what is wrong", async () => {
  const status = {
    conditions: [
      {
        type: "Ready",
        status: "False",
        reason: "NoPodReady",
        message: "no",
        lastTransitionTime: "2026-11-16T00:00:00Z",
      },
      {
        type: "Running",
        status: "True",
        reason: "x",
        message: "",
        lastTransitionTime: "2026-11-16T00:00:00Z",
      },
    ],
  };
  const report = reportOf(instanceOf({}, status), [
    asked("cache-0", "node-1", printed()),
    asked("cache-1", "node-2", printed(replica)),
    asked("cache-2", "node-2", "Could not connect to Redis"),
  ]);
  await expect(reportText(report)).toMatchFileSnapshot("testing/report.txt");
  expect(report.servers[1]).toMatchObject({ role: "replica", link: "up", lagBytes: 100, ready: true });
});

it.each<[string, string, string | undefined, object?]>([
  ["all is well", printed(), undefined],
  [
    "memory is nearly full",
    printed({ used_memory: "99000000" }),
    "94 % of its maxmemory; at 100 % writes are refused",
  ],
  ["keys were evicted", printed({ evicted_keys: "7", maxmemory_policy: "allkeys-lru" }), "evicted 7 keys"],
  ["commands were slow", printed({}, "3"), "3 slow commands"],
  ["nothing is written down", printed({ aof_enabled: "0" }, "0", ""), "writes nothing to its volume"],
  ["snapshots are written", printed({ aof_enabled: "0" }), undefined],
  ["a snapshot failed", printed({ rdb_last_bgsave_status: "err" }), "could not write its last snapshot"],
  [
    "the backlog is small",
    printed({ repl_backlog_size: "1048576", instantaneous_output_repl_kbps: "512" }),
    "lasts 2 s",
  ],
  ["there are two", printed(), "nobody can fail over", { replicas: 2 }],
])("gives advice when %s", (_when, text, expected, spec = {}) => {
  const { advice } = reportOf(instanceOf(spec), [asked("cache-0", "node-1", text)]);
  expect(advice).toHaveLength(expected === undefined ? 0 : 1);
  expect(advice.join("\n")).toContain(expected ?? "");
});

it("says that pods are on one node", () => {
  const { advice } = reportOf(instanceOf(), [
    asked("cache-0", "node-1", printed()),
    asked("cache-1", "node-1", printed(replica)),
  ]);
  expect(advice).toEqual([expect.stringContaining("cache-0 and cache-1 are on one node, node-1") as string]);
});

it.each([
  ["", undefined],
  ["NOAUTH Authentication required.\n", undefined],
  [printed().replace("run_id", "other"), undefined],
  [printed({}, "9"), 9],
])("reads %j as far as it is an answer", (text, slowCommands) => {
  expect(parseServer(text)?.slowCommands).toBe(slowCommands);
});
