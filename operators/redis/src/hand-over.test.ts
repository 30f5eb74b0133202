import { messageOf, seededRandom, silentLogger, VirtualClock } from "@kedge/machinery";
import { cachesOf } from "@kedge/testkit";
import { expect, it } from "vitest";
import { ConfigTrials } from "./config-trials.ts";
import { RedisFailure } from "./engine/failure.ts";
import type { Engine, Reply } from "./engine/types.ts";
import { handOver } from "./hand-over.ts";
import { newContent } from "./credentials/content.ts";
import { UserTrials } from "./user-trials.ts";
import { systemSecretOf } from "./specs/system-secret.ts";
import { instanceOf } from "./testing/builders.ts";

const instance = instanceOf({ replicas: 2 });

interface Played {
  /** Of the successor at each look; the last one stays. The primary has 100. */
  readonly offsets: readonly number[];
  readonly id?: string;
  /** How the primary is at each look after FAILOVER; the last one stays. */
  readonly change?: readonly string[];
  readonly refuses?: string;
  /** What the successor says it is once FAILOVER was sent. */
  readonly successorIs?: "slave" | "master" | "silent";
  /** For how long the operator is stopped before it asks for the change. */
  readonly stoppedMs?: number;
}

const [begins, done, failed] = [
  "role:master\r\nmaster_failover_state:failover-in-progress",
  "role:slave\r\nmaster_failover_state:no-failover",
  "role:master\r\nmaster_failover_state:no-failover",
];

/** Lets cache-0 hand over to cache-1. Gives what was said to cache-0, and how it ended. */
async function play({
  offsets,
  id = "a",
  change = [begins, done],
  refuses,
  successorIs = "slave",
  stoppedMs = 0,
}: Played): Promise<{
  readonly said: readonly string[];
  readonly end: string;
}> {
  const clock = new VirtualClock();
  const said: string[] = [];
  const [left, steps] = [[...offsets], [...change]];
  const next = <T>(list: T[]): T | undefined => (list.length > 1 ? list.shift() : list[0]);
  let hasBegun = false;
  const primary = (words: string): Reply => {
    if (words === "INFO replication")
      return hasBegun ? (next(steps) ?? "") : "role:master\r\nmaster_replid:a\r\nmaster_repl_offset:100";
    said.push(words);
    if (words === refuses) return new RedisFailure("ERR", "no");
    if (words.startsWith("FAILOVER TO")) hasBegun = true;
    return "OK";
  };
  const successor = (): Reply => {
    if (hasBegun && successorIs === "silent") throw new RedisFailure("TIMEOUT", "nothing said");
    const role = hasBegun ? successorIs : "slave";
    return `role:${role}\r\nmaster_replid:${id}\r\nslave_repl_offset:${next(left)}`;
  };
  const engine: Engine = {
    server: (address) => ({
      address,
      call: async (commands) => {
        const [first = []] = commands;
        if (first[1] === "PAUSE") await clock.sleep(stoppedMs);
        return commands.map((command) =>
          address.host === "10.0.0.0" ? primary(command.join(" ")) : successor(),
        );
      },
      onLost: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
  };
  const { metadata, ...secret } = systemSecretOf(instance, newContent("k"));
  const stored = { resourceVersion: "7", creationTimestamp: "2026-11-16T00:00:00Z", uid: "s" };
  const acting = {
    context: {
      signal: new AbortController().signal,
      ...cachesOf([{ ...secret, kind: "Secret", metadata: { ...metadata, ...stored } } as never]),
      clock,
      logger: silentLogger,
    },
    instance,
    secretRandom: seededRandom(1),
    engine,
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  } as never;
  const server = { pod: "cache-0", host: "10.0.0.0", as: "kedge-operator-2" };
  const to = { pod: "cache-1", host: "10.0.0.1", as: "kedge-operator-1" };
  const end = await clock.runUntil(handOver({ server, to }, acting).then(() => "done", messageOf));
  return { said, end };
}

const pause = "CLIENT PAUSE 5000 WRITE";
const change = "FAILOVER TO 10.0.0.1 6379 FORCE TIMEOUT 1";
const undone = ["FAILOVER ABORT", "CLIENT UNPAUSE"];

it("holds writes back until the successor has all, changes roles, and sends clients away", async () => {
  expect(await play({ offsets: [60, 80, 90, 100] })).toEqual({
    said: [pause, change, "CLIENT KILL TYPE normal", "CLIENT UNPAUSE"],
    end: "done",
  });
});

it.each<[string, Played, readonly string[], string]>([
  [
    "has not got all in time",
    { offsets: [60, 99] },
    [pause],
    "cache-1 has not got all writes of cache-0 within 1000 ms",
  ],
  ["follows another one", { offsets: [100], id: "b" }, [pause], "cache-1 does not follow cache-0 any more"],
  [
    "does not take over in time",
    { offsets: [100], change: [begins] },
    [pause, change],
    "cache-0 has not handed over to cache-1 within 2000 ms",
  ],
  [
    "refuses",
    { offsets: [100], change: [begins, failed] },
    [pause, change],
    "cache-0 could not hand over to cache-1",
  ],
  ["is nobody's replica", { offsets: [100], refuses: change }, [pause, change], "no"],
])("lets writes go on where they were when the successor %s", async (_when, played, said, end) => {
  expect(await play(played)).toEqual({ said: [...said, ...undone], end });
});

it.each(["master", "silent"] as const)(
  "undoes nothing when the successor may have taken over already: it is %s",
  async (successorIs) => {
    expect(await play({ offsets: [100], change: [begins], successorIs })).toEqual({
      said: [pause, change],
      end: "cache-1 may have taken over from cache-0",
    });
  },
);

it("does not ask for the change when writes may go on by then, because we were stopped", async () => {
  expect(await play({ offsets: [100], stoppedMs: 60_000 })).toEqual({
    said: [pause, ...undone],
    end: "cache-0 may take writes again before it has handed over",
  });
});
