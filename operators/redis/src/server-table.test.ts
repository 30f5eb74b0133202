import { describe, expect, it } from "vitest";
import type { RedisInstance } from "./kind.ts";
import { serverTable } from "./server-table.ts";
import { instanceOf, observedOf } from "./testing/builders.ts";
import { serversOf, type PlayedServer } from "./testing/servers.ts";

type Status = NonNullable<RedisInstance["status"]>;

function tableOf(played: readonly PlayedServer[], status: Status = {}) {
  const replication = { epoch: 1, primary: "cache-0" };
  return serverTable(observedOf(instanceOf({}, { status }), { servers: serversOf(...played), replication }));
}

describe("the table of servers", () => {
  it("says what each is, and how much the primary has", () => {
    const mebi = 1024 * 1024;
    expect(
      tableOf([
        { offset: 9 * mebi, keys: 7, memory: 3.25 * mebi },
        { offset: 9 * mebi - 9, memory: 30 * mebi },
        { offset: 4 * mebi, isUp: false },
        { fails: "TIMEOUT" },
        { isRestarted: true, follows: "nobody" },
      ]),
    ).toEqual({
      usedMemory: "3.3Mi",
      keys: 7,
      servers: [
        { pod: "cache-0", role: "primary", memory: "3.3Mi", keys: 7, version: "redis 7.0.15" },
        {
          pod: "cache-1",
          role: "replica",
          link: "up",
          lagBytes: 0,
          memory: "30Mi",
          keys: 10,
          version: "redis 7.0.15",
        },
        {
          pod: "cache-2",
          role: "replica",
          link: "down",
          lagBytes: 5 * mebi,
          memory: "1.0Mi",
          keys: 10,
          version: "redis 7.0.15",
        },
        { pod: "cache-3", role: "unknown" },
        {
          pod: "cache-4",
          role: "held",
          link: "down",
          lagBytes: 9 * mebi - 100,
          memory: "1.0Mi",
          keys: 10,
          version: "redis 7.0.15",
        },
      ],
    });
  });

  it("is the same until a number is another tenth of what it was, and what matters is always told", () => {
    const first = tableOf([{ keys: 1000, memory: 50_000_000 }, {}]);
    expect(tableOf([{ keys: 1099, memory: 54_000_000, offset: 900 }, {}], first)).toEqual(first);
    expect(tableOf([{ keys: 1101, memory: 54_000_000 }, {}], first)).toMatchObject({
      keys: 1101,
      usedMemory: "48Mi",
    });
    expect(tableOf([{ keys: 1000, memory: 56_000_000 }, {}], first)).toMatchObject({ usedMemory: "53Mi" });
    expect(tableOf([{ keys: 1000, memory: 50_000_000 }, { isUp: false }], first)).not.toEqual(first);
    expect(tableOf([{ keys: 0, memory: 50_000_000 }, {}], first)).toMatchObject({ keys: 0 });
  });

  it("keeps what the primary had while it does not answer, and says nothing where there are no servers", () => {
    const first = tableOf([{ keys: 1000 }, {}]);
    expect(tableOf([{ fails: "TIMEOUT" }, {}], first)).toMatchObject({
      keys: 1000,
      servers: [{ role: "unknown" }, {}],
    });
    expect(tableOf([], first)).toEqual({});
  });
});
