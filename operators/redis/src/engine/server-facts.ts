import { infoFields, infoNumber, parseInfo, type Info } from "./info.ts";

/** A server as it describes itself by INFO. */
export interface ServerFacts {
  readonly software: "redis" | "valkey";
  readonly version: string;
  /** Another one after each start. */
  readonly runId: string;
  readonly uptimeSeconds: number;
  readonly role: "primary" | "replica";
  readonly history: History;
  /** It reads its data from the disk, and answers little else. */
  readonly isLoading: boolean;
  /** Of all databases. */
  readonly keys: number;
  readonly memory: MemoryFacts;
  readonly persistence: PersistenceFacts;
  readonly forks: ForkFacts;
  /** Whom it follows; undefined for a primary. */
  readonly upstream: Upstream | undefined;
  /** Who follows it. */
  readonly followers: readonly Follower[];
  /** It refuses writes while too few replicas have them. */
  readonly isGuarded: boolean;
  /** Redis' own FAILOVER is under way: `waiting-for-sync`, `failover-in-progress`. */
  readonly failoverState: string;
  /** All that INFO said, for what nobody has named yet. */
  readonly info: Info;
}

/**
 * Which stream of writes a server has, and how far. Two servers have the same data when id and offset are equal. The
 * second id is the stream that it has followed before, up to and without the offset beside it.
 */
export interface History {
  readonly id: string;
  readonly offset: number;
  readonly secondId: string | undefined;
  readonly secondOffset: number;
}

/** What a replica says of its primary. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly isUp: boolean;
  /** It is being sent all data. */
  readonly isSyncing: boolean;
  /** Since the primary last sent something; with `repl-ping-replica-period 1`, at most about a second. */
  readonly lastIoSeconds: number | undefined;
  readonly downSeconds: number | undefined;
}

/** What a primary says of a replica. */
export interface Follower {
  readonly host: string;
  readonly port: number;
  /** `online` when it has all data. */
  readonly state: string;
  readonly offset: number;
  readonly lagSeconds: number;
}

/** What the data takes, in bytes. */
export interface MemoryFacts {
  readonly used: number;
  /** 0: no limit. */
  readonly max: number;
}

/** Whether what is written reaches the disk. */
export interface PersistenceFacts {
  readonly appendOnly: boolean;
  readonly lastSnapshotOk: boolean;
  readonly lastAppendOk: boolean;
  /** Of the append-only file alone, whatever became of making it shorter. */
  readonly lastWriteOk: boolean;
  /** An append-only file is being made, or about to be: before that, the disk lacks what another server has sent. */
  readonly isRewriting: boolean;
}

/** What a server says of the copies of itself that save its data: it stands still while one is made. */
export interface ForkFacts {
  /** One works, or is about to: disk and memory are busy with it. */
  readonly isUnderWay: boolean;
  /** For how many milliseconds it stood still for the last one. */
  readonly lastMs: number;
}

/** Reads what a server said to INFO. */
export function serverFacts(text: string): ServerFacts {
  const info = parseInfo(text);
  const isReplica = info.get("role") === "slave";
  return {
    software: info.has("valkey_version") ? "valkey" : "redis",
    version: info.get("valkey_version") ?? info.get("redis_version") ?? "",
    runId: info.get("run_id") ?? "",
    uptimeSeconds: infoNumber(info, "uptime_in_seconds") ?? 0,
    role: isReplica ? "replica" : "primary",
    history: historyOf(info, isReplica),
    isLoading: info.get("loading") === "1" || info.get("async_loading") === "1",
    keys: keysOf(info),
    memory: { used: infoNumber(info, "used_memory") ?? 0, max: infoNumber(info, "maxmemory") ?? 0 },
    persistence: {
      appendOnly: info.get("aof_enabled") === "1",
      lastSnapshotOk: info.get("rdb_last_bgsave_status") !== "err",
      lastWriteOk: info.get("aof_last_write_status") !== "err",
      lastAppendOk:
        info.get("aof_last_write_status") !== "err" && info.get("aof_last_bgrewrite_status") !== "err",
      isRewriting: info.get("aof_rewrite_in_progress") === "1" || info.get("aof_rewrite_scheduled") === "1",
    },
    forks: forkFacts(info),
    upstream: isReplica ? upstreamOf(info) : undefined,
    followers: followersOf(info),
    isGuarded: info.has("min_slaves_good_slaves"),
    failoverState: info.get("master_failover_state") ?? "no-failover",
    info,
  };
}

/** Of any part of INFO: what it does not say is as it was `before`. */
export function forkFacts(info: Info, before: ForkFacts = { isUnderWay: false, lastMs: 0 }): ForkFacts {
  const lastUs = infoNumber(info, "latest_fork_usec");
  return {
    isUnderWay: info.has("loading")
      ? savings.some((field) => info.get(field) === "1") || info.get("loading") === "1"
      : before.isUnderWay,
    lastMs: lastUs === undefined ? before.lastMs : Math.round(lastUs / 1000),
  };
}

const savings = [
  "rdb_bgsave_in_progress",
  "aof_rewrite_in_progress",
  "aof_rewrite_scheduled",
  "module_fork_in_progress",
];

/** A replica has applied what `slave_repl_offset` says; what it has read more waits for its turn. */
function historyOf(info: Info, isReplica: boolean): History {
  const own = infoNumber(info, "master_repl_offset") ?? 0;
  const secondId = info.get("master_replid2");
  return {
    id: info.get("master_replid") ?? "",
    offset: isReplica ? Math.max(own, infoNumber(info, "slave_repl_offset") ?? 0) : own,
    secondId: secondId === undefined || /^0*$/u.test(secondId) ? undefined : secondId,
    secondOffset: infoNumber(info, "second_repl_offset") ?? -1,
  };
}

function upstreamOf(info: Info): Upstream {
  const lastIo = infoNumber(info, "master_last_io_seconds_ago");
  return {
    host: info.get("master_host") ?? "",
    port: infoNumber(info, "master_port") ?? 0,
    isUp: info.get("master_link_status") === "up",
    isSyncing: info.get("master_sync_in_progress") === "1",
    lastIoSeconds: lastIo === undefined || lastIo < 0 ? undefined : lastIo,
    downSeconds: infoNumber(info, "master_link_down_since_seconds"),
  };
}

function followersOf(info: Info): readonly Follower[] {
  return [...info]
    .filter(([name]) => /^slave\d+$/u.test(name))
    .map(([, value]) => {
      const fields = infoFields(value);
      return {
        host: fields.get("ip") ?? "",
        port: Number(fields.get("port") ?? 0),
        state: fields.get("state") ?? "",
        offset: Number(fields.get("offset") ?? 0),
        lagSeconds: Number(fields.get("lag") ?? 0),
      };
    });
}

function keysOf(info: Info): number {
  return [...info]
    .filter(([name]) => /^db\d+$/u.test(name))
    .reduce((sum, [, value]) => sum + Number(infoFields(value).get("keys") ?? 0), 0);
}
