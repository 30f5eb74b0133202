import { describe, expect, it } from "vitest";
import { checkConfig as check, type ConfigContext } from "./check-config.ts";

const checkConfig = (config: Record<string, string>, context: Partial<ConfigContext> = {}) =>
  check(config, { image: "redis:7.0", authEnabled: true, ...context });

describe("directives", () => {
  it.each([
    ["maxmemory-policy", "allkeys-lru"],
    ["save", "900 1 300 10"],
    ["save", ""],
    ["client-output-buffer-limit", "normal 0 0 0"],
    ["oom-score-adj-values", "0 200 800"],
    ["rename-command", 'FLUSHALL ""'],
    ["proc-title-template", String.raw`"{title} \"x\" {listen-addr}"`],
    ["proc-title-template", "'{title}'"],
    ["logfile", '""'],
    ["proc-title-template", 'a"b"'],
    ["aof_rewrite_cpulist", "1"],
    ["MaxMemory", "1gb"],
  ])("that are taken: %s %s", (key, value) => {
    expect(checkConfig({ [key]: value })).toEqual([]);
  });

  it.each([
    ["a line break", "save", "900 1\nrequirepass x", "control character"],
    ["a quote that is not closed", "proc-title-template", '"/data/log', "quote that is not closed"],
    ["a quote that is not closed in a word", "proc-title-template", 'a"b', "quote that is not closed"],
    ["a quote with something behind it", "proc-title-template", '"a"b', "quote that is not closed"],
    ["a name with a space", "save 1", "2", "is not the name of a directive"],
    ["a comment as a name", "# a", "b", "is not the name of a directive"],
    ["a password", "requirepass", "secret", "use spec.auth"],
    ["a password in other letters", "RequirePass", "secret", "use spec.auth"],
    ["the port", "port", "1", "is set by the operator"],
    ["where it listens", "bind", "127.0.0.1", "reach the server there"],
    ["the name of the snapshot", "dbfilename", "my.rdb", "begins without it"],
    ["the name of the append-only file", "appendfilename", "my.aof", "begins without it"],
    ["the folder of the append-only file", "AppendDirName", "mine", "begins without it"],
    ["a socket", "unixsocket", "/tmp/redis.sock", "nobody outside"],
    ["the background", "daemonize", "yes", "in the foreground"],
    ["a log file", "logfile", "/data/log", "kubectl logs"],
    ["certificates", "tls-port", "6380", "TLS is not there yet"],
    ["a command of the probes", "rename-command", 'PING ""', "takes PING away"],
    ["a command of replication", "rename-command", "psync secret", "takes PSYNC away"],
    ["half a command", "rename-command", "FLUSHALL", "its new name"],
    ["a word with a slip", "maxmemory-polcy", "allkeys-lru", "did you mean maxmemory-policy?"],
    ["a word that nobody knows", "frobnicate", "yes", "is no directive that Redis 7.0 knows"],
    ["a directive of a module", "search-timeout", "500", "is no directive that Redis 7.0 knows"],
    ["who is followed", "replicaof", "a 1", "use spec.replicas"],
  ])("that are refused: %s", (_what, key, value, why) => {
    const [refusal] = checkConfig({ [key]: value });
    expect(refusal?.field).toBe(`spec.config[${JSON.stringify(key)}]`);
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).not.toContain("secret");
  });

  it("are refused when they would shut everybody out, and else not", () => {
    const isTaken = (value: string, authEnabled: boolean): boolean =>
      checkConfig({ "protected-mode": value }, { authEnabled }).length === 0;
    expect([isTaken("yes", true), isTaken("no", true), isTaken("yes", false), isTaken("no", false)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it.each([
    ["redis:7.0", "set-max-listpack-value", "came after Redis 7.0"],
    ["redis:7.2.4-alpine", "set-max-listpack-value", undefined],
    ["redis:7", "set-max-listpack-value", undefined],
    ["redis:8.0", "import-mode", "is a directive of Valkey"],
    ["valkey/valkey:8.1", "import-mode", "must be yes or no"],
    ["valkey/valkey:8.1", "repl-rdb-channel", "is a directive of Redis"],
    ["valkey/valkey:8.1", "mptcp", "came after Valkey 8.1"],
    ["registry.example.com:5000/mirror/valkey:9.1@sha256:0123", "mptcp", "must be yes or no"],
    // Newer than the table, or nobody knows what: only a slip is refused.
    ["redis:8.6", "of-the-future", undefined],
    ["redis:8", "of-the-future", undefined],
    ["redis:latest", "of-the-future", undefined],
    ["acme/cache:1", "of-the-future", undefined],
    ["redis:8.6", "maxmemory-polcy", "did you mean maxmemory-policy?"],
    ["acme/cache:1", "maxmemory-polcy", "did you mean maxmemory-policy?"],
    ["redis:8.0", "of-the-future", "is no directive that Redis 8.0 knows"],
  ])("are those of the image: %s %s", (image, key, why) => {
    const [refusal] = checkConfig({ [key]: "1" }, { image });
    expect(refusal?.message ?? "taken").toContain(why ?? "taken");
  });

  it("may be those of a module that is loaded", () => {
    expect(checkConfig({ loadmodule: "/m/search.so", "search-timeout": "5", "a.b": "1" })).toEqual([]);
  });

  it("are refused when there are two of one name", () => {
    expect(checkConfig({ save: "1 1", Save: "2 2" }).map(({ field }) => field)).toEqual([
      'spec.config["save"]',
    ]);
  });
});
