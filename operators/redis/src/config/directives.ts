import type { Server, Version } from "./image-server.ts";

/** Directives that came together. */
export interface DirectiveGroup {
  /** The first version of each server that knows them; a server that is not named has never known them. */
  readonly since: Readonly<Partial<Record<Server["program"], Version>>>;
  /** With spaces between them. */
  readonly names: string;
}

/** The newest versions whose directives are all in the table. */
export const newestKnown: Readonly<Record<Server["program"], Version>> = { redis: [8, 0], valkey: [9, 1] };

/**
 * All directives by who knows them: what `CONFIG GET` answers of Redis 7.0.15, 8.0.2 and Valkey 8.1.1, 9.1.2, for `*` and
 * for each word in the program (some are hidden), and what is only in files. Versions in between have what either
 * neighbour has, older ones what the oldest has: where it is not known, a directive is not refused.
 */
export const directiveGroups: readonly DirectiveGroup[] = [
  {
    since: { redis: [0, 0], valkey: [0, 0] },
    names: `
      acl-pubsub-default aclfile acllog-max-len active-defrag-cycle-max active-defrag-cycle-min
      active-defrag-ignore-bytes active-defrag-max-scan-fields active-defrag-threshold-lower
      active-defrag-threshold-upper active-expire-effort activedefrag activerehashing
      always-show-logo aof-disable-auto-gc aof-load-truncated aof-rewrite-incremental-fsync
      aof-timestamp-enabled aof-use-rdb-preamble aof_rewrite_cpulist appenddirname appendfilename
      appendfsync appendonly auto-aof-rewrite-min-size auto-aof-rewrite-percentage bgsave_cpulist
      bind bind-source-addr bio_cpulist busy-reply-threshold client-output-buffer-limit
      client-query-buffer-limit cluster-allow-pubsubshard-when-down cluster-allow-reads-when-down
      cluster-allow-replica-migration cluster-announce-bus-port cluster-announce-hostname
      cluster-announce-ip cluster-announce-port cluster-announce-tls-port cluster-config-file
      cluster-enabled cluster-link-sendbuf-limit cluster-migration-barrier cluster-node-timeout
      cluster-port cluster-preferred-endpoint-type cluster-replica-no-failover
      cluster-replica-validity-factor cluster-require-full-coverage cluster-slave-no-failover
      cluster-slave-validity-factor crash-log-enabled crash-memcheck-enabled daemonize databases
      dbfilename dir disable-thp dynamic-hz enable-debug-command enable-module-command
      enable-protected-configs hash-max-listpack-entries hash-max-listpack-value
      hash-max-ziplist-entries hash-max-ziplist-value hll-sparse-max-bytes hz ignore-warnings
      include io-threads io-threads-do-reads jemalloc-bg-thread key-load-delay
      latency-monitor-threshold latency-tracking latency-tracking-info-percentiles
      lazyfree-lazy-eviction lazyfree-lazy-expire lazyfree-lazy-server-del lazyfree-lazy-user-del
      lazyfree-lazy-user-flush lfu-decay-time lfu-log-factor list-compress-depth
      list-max-listpack-size list-max-ziplist-entries list-max-ziplist-size list-max-ziplist-value
      loading-process-events-interval-bytes loadmodule logfile loglevel lua-enable-deprecated-api
      lua-replicate-commands lua-time-limit masterauth masteruser maxclients maxmemory
      maxmemory-clients maxmemory-eviction-tenacity maxmemory-policy maxmemory-samples
      min-replicas-max-lag min-replicas-to-write min-slaves-max-lag min-slaves-to-write
      no-appendfsync-on-rewrite notify-keyspace-events oom-score-adj oom-score-adj-values pidfile
      port proc-title-template propagation-error-behavior protected-mode proto-max-bulk-len
      rdb-del-sync-files rdb-key-save-delay rdb-save-incremental-fsync rdbchecksum rdbcompression
      rename-command repl-backlog-size repl-backlog-ttl repl-disable-tcp-nodelay repl-diskless-load
      repl-diskless-sync repl-diskless-sync-delay repl-diskless-sync-max-replicas
      repl-ping-replica-period repl-ping-slave-period repl-timeout replica-announce-ip
      replica-announce-port replica-announced replica-ignore-disk-write-errors
      replica-ignore-maxmemory replica-lazy-flush replica-priority replica-read-only
      replica-serve-stale-data replicaof requirepass sanitize-dump-payload save server_cpulist
      set-max-intset-entries set-proc-title shutdown-on-sigint shutdown-on-sigterm shutdown-timeout
      slave-announce-ip slave-announce-port slave-ignore-maxmemory slave-lazy-flush slave-priority
      slave-read-only slave-serve-stale-data slaveof slowlog-log-slower-than slowlog-max-len
      socket-mark-id stop-writes-on-bgsave-error stream-node-max-bytes stream-node-max-entries
      supervised syslog-enabled syslog-facility syslog-ident tcp-backlog tcp-keepalive timeout
      tls-auth-clients tls-ca-cert-dir tls-ca-cert-file tls-cert-file tls-ciphers tls-ciphersuites
      tls-client-cert-file tls-client-key-file tls-client-key-file-pass tls-cluster
      tls-dh-params-file tls-key-file tls-key-file-pass tls-port tls-prefer-server-ciphers
      tls-protocols tls-replication tls-session-cache-size tls-session-cache-timeout
      tls-session-caching tracking-table-max-keys unixsocket unixsocketperm use-exit-on-panic user
      watchdog-period zset-max-listpack-entries zset-max-listpack-value zset-max-ziplist-entries
      zset-max-ziplist-value
    `,
  },
  {
    since: { redis: [7, 1], valkey: [0, 0] },
    names: `
      aof-rewrite-cpulist bgsave-cpulist bio-cpulist cluster-announce-human-nodename
      cluster-ping-interval hide-user-data-from-log locale-collate max-new-connections-per-cycle
      max-new-tls-connections-per-cycle server-cpulist set-max-listpack-entries
      set-max-listpack-value
    `,
  },
  {
    since: { redis: [7, 1] },
    names: `
      cluster-compatibility-sample-ratio repl-rdb-channel replica-full-sync-buffer-limit
    `,
  },
  {
    since: { valkey: [0, 0] },
    names: `
      active-defrag-cycle-us availability-zone cluster-announce-client-ipv4
      cluster-announce-client-ipv6 cluster-blacklist-ttl cluster-manual-failover-timeout
      cluster-slot-stats-enabled commandlog-execution-slower-than commandlog-large-reply-max-len
      commandlog-large-request-max-len commandlog-reply-larger-than commandlog-request-larger-than
      commandlog-slow-execution-max-len debug-context dual-channel-replication-enabled
      enable-debug-assert events-per-io-thread extended-redis-compatibility import-mode log-format
      log-timestamp-format lua-enable-insecure-api prefetch-batch-max-size primaryauth primaryuser
      rdb-version-check rdma-bind rdma-completion-vector rdma-port rdma-rx-size unixsocketgroup
    `,
  },
  {
    since: { valkey: [8, 2] },
    names: `
      cluster-announce-client-port cluster-announce-client-tls-port cluster-config-save-behavior
      cluster-databases cluster-message-gossip-perc cluster-slot-migration-log-max-len hash-seed
      io-threads-always-active min-io-threads-avoid-copy-reply min-string-size-avoid-copy-reply
      min-string-size-avoid-copy-reply-threaded mptcp repl-mptcp
      slot-migration-max-failover-repl-bytes tls-auth-clients-user tls-auto-reload-interval
    `,
  },
];
