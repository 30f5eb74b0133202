import { RedisFailure, type FailureCode } from "../engine/failure.ts";
import { serverFacts } from "../engine/server-facts.ts";
import { hostOf, nobody } from "../names.ts";
import type { ServerView } from "../server-view.ts";
import { operatorUser, probeUser, readRecord, recordUser, startUser } from "../users.ts";

/** What a server of the instance `cache` in `shop` says; the rest is as it should be. */
export interface PlayedServer {
  readonly role?: "primary" | "replica";
  /** The epoch that it was admitted to. */
  readonly epoch?: number;
  /** It was started since. */
  readonly isRestarted?: boolean;
  /** Its record; `none` for a new volume. */
  readonly data?: readonly ["primary" | "replica", number] | "none";
  /** Whom it follows; `nobody` when it is held. */
  readonly follows?: string;
  readonly isUp?: boolean;
  readonly keys?: number;
  /** In bytes. */
  readonly memory?: number;
  readonly id?: string;
  readonly offset?: number;
  readonly isLoading?: boolean;
  /** It could not write to its volume. */
  readonly isDiskFailing?: boolean;
  /** Its append-only file is being made. */
  readonly isRewriting?: boolean;
  /** It refuses writes while too few replicas have them. */
  readonly isGuarded?: boolean;
  /** Seconds that each of its replicas is behind, as it says. */
  readonly lags?: readonly number[];
  /** Redis' own FAILOVER is under way. */
  readonly isFailingOver?: boolean;
  readonly appendOnly?: boolean;
  readonly uptime?: number;
  readonly stalledMs?: number;
  readonly wasBusy?: boolean;
  /** What it said of its forks before. */
  readonly forks?: ServerView["forks"] | undefined;
  /** It does not answer. */
  readonly fails?: FailureCode;
  readonly silentMs?: number;
  readonly isReached?: boolean;
  readonly isReady?: boolean;
  readonly isDeleting?: boolean;
  readonly revision?: string;
}

/** The pods `cache-0`, `cache-1` and so on, the first of them primary of epoch 1 unless it is said. */
export function serversOf(...played: readonly PlayedServer[]): readonly ServerView[] {
  return played.map((server, ordinal) => viewOf(server, ordinal));
}

function viewOf(played: PlayedServer, ordinal: number): ServerView {
  const pod = `cache-${ordinal}`;
  const role = played.role ?? (ordinal === 0 ? "primary" : "replica");
  const { fails, isReady = fails === undefined, isDeleting = false, revision = "r1" } = played;
  return {
    pod,
    uid: pod,
    ordinal,
    host: `10.0.0.${ordinal}`,
    isReady,
    isDeleting,
    revision,
    role,
    answer: fails === undefined ? answerOf(played, role) : undefined,
    failure: fails === undefined ? undefined : new RedisFailure(fails, fails),
    silentMs: played.silentMs ?? 0,
    missedAt: undefined,
    isReached: played.isReached ?? false,
    stalledMs: played.stalledMs ?? 0,
    wasBusy: played.wasBusy ?? false,
    forks: played.forks,
  };
}

function answerOf(played: PlayedServer, role: "primary" | "replica"): NonNullable<ServerView["answer"]> {
  const { epoch = 1, isRestarted = false, data = [role, epoch], follows = "cache-0", isUp = true } = played;
  const host = follows === "nobody" ? nobody.host : hostOf({ namespace: "shop", name: "cache" }, follows);
  const users = [
    "default",
    probeUser,
    ...(epoch > 0 ? [operatorUser(epoch)] : []),
    ...(isRestarted ? [startUser] : []),
    ...(data === "none" ? [] : [recordUser(...data)]),
  ];
  const lines = {
    redis_version: "7.0.15",
    uptime_in_seconds: String(played.uptime ?? 100),
    role: role === "primary" ? "master" : "slave",
    ...(role === "replica" && {
      master_host: host,
      master_port: "6379",
      master_link_status: isUp && follows !== "nobody" ? "up" : "down",
      master_sync_in_progress: "0",
      slave_repl_offset: String(played.offset ?? 100),
    }),
    master_replid: played.id ?? "a",
    master_repl_offset: String(played.offset ?? 100),
    ...Object.fromEntries(
      (played.lags ?? []).map((lag, i) => [
        `slave${i}`,
        `ip=10.0.0.9,port=6379,state=online,offset=1,lag=${lag}`,
      ]),
    ),
    ...(played.isDiskFailing === true && { aof_last_write_status: "err" }),
    ...(played.isRewriting === true && { aof_rewrite_in_progress: "1" }),
    ...(played.isGuarded === true && { min_slaves_good_slaves: "1" }),
    ...(played.isFailingOver === true && { master_failover_state: "failover-in-progress" }),
    loading: played.isLoading === true ? "1" : "0",
    used_memory: String(played.memory ?? 1_048_576),
    aof_enabled: played.appendOnly === false ? "0" : "1",
    db0: `keys=${played.keys ?? 10},expires=0`,
  };
  const text = Object.entries(lines)
    .map(([name, value]) => `${name}:${value}`)
    .join("\r\n");
  return { facts: serverFacts(text), users, record: readRecord(users) };
}
