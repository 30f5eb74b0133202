import { describe, expect, it } from "vitest";
import { parseRole } from "./role.ts";
import { parseInfo } from "./info.ts";
import { forkFacts, serverFacts } from "./server-facts.ts";

const lines = (...text: readonly string[]): string => text.map((line) => `${line}\r\n`).join("");
const replid = "b".repeat(40);

describe("serverFacts", () => {
  it("reads a primary", () => {
    const facts = serverFacts(
      lines(
        "# Server",
        "redis_version:7.0.15",
        "run_id:abc",
        "uptime_in_seconds:12",
        "",
        "# Persistence",
        "loading:0",
        "aof_enabled:1",
        "rdb_last_bgsave_status:ok",
        "aof_last_write_status:err",
        "# Replication",
        "role:master",
        "connected_slaves:1",
        "slave0:ip=10.0.0.2,port=6379,state=online,offset=84,lag=1",
        "master_failover_state:no-failover",
        `master_replid:${replid}`,
        `master_replid2:${"0".repeat(40)}`,
        "master_repl_offset:98",
        "second_repl_offset:-1",
        "# Keyspace",
        "db0:keys=3,expires=0,avg_ttl=0",
        "db2:keys=4,expires=0,avg_ttl=0,subexpiry=0",
      ),
    );
    expect(facts).toMatchObject({
      software: "redis",
      version: "7.0.15",
      role: "primary",
      history: { id: replid, offset: 98, secondId: undefined, secondOffset: -1 },
      isLoading: false,
      keys: 7,
      persistence: { appendOnly: true, lastSnapshotOk: true, lastAppendOk: false },
      upstream: undefined,
      followers: [{ host: "10.0.0.2", port: 6379, state: "online", offset: 84, lagSeconds: 1 }],
    });
  });

  it("reads a replica of Valkey whose link is down", () => {
    const facts = serverFacts(
      lines(
        "redis_version:7.2.4",
        "valkey_version:8.1.1",
        "role:slave",
        "master_host:cache-0.cache-headless.shop.svc",
        "master_port:6379",
        "master_link_status:down",
        "master_last_io_seconds_ago:-1",
        "master_sync_in_progress:0",
        "slave_read_repl_offset:120",
        "slave_repl_offset:110",
        "master_link_down_since_seconds:4",
        `master_replid:${replid}`,
        `master_replid2:${"c".repeat(40)}`,
        "master_repl_offset:110",
        "second_repl_offset:51",
      ),
    );
    expect(facts).toMatchObject({
      software: "valkey",
      version: "8.1.1",
      role: "replica",
      history: { id: replid, offset: 110, secondId: "c".repeat(40), secondOffset: 51 },
      upstream: {
        host: "cache-0.cache-headless.shop.svc",
        port: 6379,
        isUp: false,
        lastIoSeconds: undefined,
        downSeconds: 4,
      },
    });
  });

  it("reads nonsense without a complaint", () => {
    expect(serverFacts("::\n#x\nrole:\nslave0:\ndb0:keys")).toMatchObject({ role: "primary", keys: 0 });
  });
});

describe("forkFacts", () => {
  it.each([
    ["a snapshot", ["loading:0", "rdb_bgsave_in_progress:1"], { isUnderWay: true, lastMs: 7 }],
    ["a rewrite", ["loading:0", "aof_rewrite_in_progress:1"], { isUnderWay: true, lastMs: 7 }],
    ["a rewrite that is to come", ["loading:0", "aof_rewrite_scheduled:1"], { isUnderWay: true, lastMs: 7 }],
    ["loading", ["loading:1"], { isUnderWay: true, lastMs: 7 }],
    ["nothing of it", ["loading:0", "rdb_bgsave_in_progress:0"], { isUnderWay: false, lastMs: 7 }],
    ["another section alone", ["latest_fork_usec:812345"], { isUnderWay: true, lastMs: 812 }],
  ])("knows %s", (_name, text, expected) => {
    expect(forkFacts(parseInfo(lines(...text)), { isUnderWay: true, lastMs: 7 })).toEqual(expected);
  });
});

describe("parseRole", () => {
  it.each([
    ["a primary", ["master", 98, [["10.0.0.2", "6379", "84"]]], { role: "primary", offset: 98 }],
    ["a replica", ["slave", "10.0.0.1", 6379, "connected", 84], { role: "replica", state: "connected" }],
    ["a replica that has nothing", ["slave", "h", 6379, "connect", -1], { role: "replica", offset: -1 }],
  ] as const)("reads %s", (_name, reply, role) => {
    expect(parseRole(reply)).toMatchObject(role);
  });

  it.each([[null], ["OK"], [[]], [["sentinel", []]]] as const)("knows that %j is none", (reply) => {
    expect(parseRole(reply)).toBeUndefined();
  });
});
