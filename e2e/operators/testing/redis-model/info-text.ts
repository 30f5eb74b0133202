import type { ModelProcess } from "./model-process.ts";

/** What a model answers to INFO: what the real one says of the same state. */
export function infoText(process: ModelProcess): string {
  const { history, upstream, data, options } = process;
  const isReplica = upstream !== undefined;
  const followers = [...process.followers].map(({ replica, announced }, index) => {
    const lag = Math.floor((process.now() - replica.now()) / 1000);
    return `slave${index}:ip=${announced},port=6379,state=online,offset=${replica.history.offset},lag=${lag}`;
  });
  const link = upstream?.link;
  const lines = [
    "# Server",
    "redis_version:7.0.15",
    `run_id:${process.runId}`,
    `uptime_in_seconds:${Math.floor((process.now() - process.startedAt) / 1000)}`,
    "# Memory",
    "used_memory:1000000",
    `maxmemory:${process.config.get("maxmemory") ?? 0}`,
    `maxmemory_policy:${process.config.get("maxmemory-policy") ?? "noeviction"}`,
    "# Persistence",
    `loading:${Number(process.isLoading)}`,
    "async_loading:0",
    "rdb_bgsave_in_progress:0",
    "rdb_last_bgsave_status:ok",
    `aof_enabled:${Number(process.hasLog)}`,
    "aof_last_write_status:ok",
    "aof_last_bgrewrite_status:ok",
    "# Replication",
    `role:${isReplica ? "slave" : "master"}`,
    ...(isReplica
      ? [
          `master_host:${upstream.host}`,
          `master_port:${portOf(upstream.host)}`,
          `master_link_status:${link === undefined ? "down" : "up"}`,
          `master_last_io_seconds_ago:${link === undefined ? -1 : Math.floor((process.now() - link.lastIo) / 1000)}`,
          "master_sync_in_progress:0",
          `slave_repl_offset:${history.offset}`,
          ...(link === undefined
            ? [`master_link_down_since_seconds:${Math.floor((process.now() - upstream.downSince) / 1000)}`]
            : []),
          "slave_read_only:1",
        ]
      : []),
    `connected_slaves:${followers.length}`,
    ...(Number(process.config.get("min-replicas-to-write") ?? 0) > 0
      ? [`min_slaves_good_slaves:${followers.length}`]
      : []),
    ...followers,
    `master_failover_state:${process.failover === undefined ? "no-failover" : "waiting-for-sync"}`,
    `master_replid:${history.id}`,
    `master_replid2:${history.secondId}`,
    `master_repl_offset:${history.offset}`,
    `second_repl_offset:${history.secondOffset}`,
    "# Keyspace",
    ...(data.size > 0 ? [`db0:keys=${data.size},expires=0,avg_ttl=0`] : []),
    `# of ${options.key}`,
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** Nobody listens at the port of those that follow nobody. */
export function portOf(host: string): number {
  return host === "127.0.0.1" ? 1 : 6379;
}
