import { VirtualClock, type ObjectKey } from "@kedge/machinery";
import { describe, expect, it, vi } from "vitest";
import { RedisFailure, type FailureCode } from "../engine/failure.ts";
import type { Engine, Reply } from "../engine/types.ts";
import { Pulse } from "./pulse.ts";

const key: ObjectKey = { namespace: "shop", name: "cache" };
const login = { username: "kedge-probe", password: "p" };
const target = { uid: "u1", host: "10.0.0.1", login };
const { signal } = new AbortController();

/** One server that answers, or fails, as the test says. */
function play(): {
  readonly clock: VirtualClock;
  readonly pulse: Pulse;
  readonly told: ReturnType<typeof vi.fn<(key: ObjectKey, reason: string) => void>>;
  readonly server: {
    fails: FailureCode | undefined;
    /** The next question is the last on its connection. */
    closes: boolean;
    isReached: boolean;
    role: Reply;
    asked: number;
    /** Of INFO that were asked for, and what they say. */
    sections: string[];
    info: Record<string, string>;
    lose: () => void;
  };
} {
  const clock = new VirtualClock();
  const server = {
    fails: undefined as FailureCode | undefined,
    closes: false,
    isReached: false,
    role: ["master", 1, []] as Reply,
    asked: 0,
    sections: [] as string[],
    info: { persistence: "loading:0\r\n", stats: "latest_fork_usec:300\r\n" } as Record<string, string>,
    lose: (): void => undefined,
  };
  const engine: Engine = {
    server: (address) => ({
      address,
      async call(commands, { timeoutMs = 0 } = {}) {
        server.asked += 1;
        if (server.closes) {
          server.closes = false;
          server.lose();
          throw new RedisFailure("CLOSED", "closed");
        }
        if (server.fails === "TIMEOUT") await clock.sleep(timeoutMs);
        if (server.fails !== undefined)
          throw new RedisFailure(server.fails, "no", { wasReached: server.isReached });
        server.sections.push(...commands.flatMap(([, section]) => section ?? []));
        return commands.map(([name, section]) =>
          name === "ROLE"
            ? server.role
            : name === "ACL"
              ? ["default"]
              : section === undefined
                ? infoOf(server.role)
                : server.info[section],
        ) as readonly Reply[];
      },
      onLost(listener) {
        server.lose = () => listener(new RedisFailure("CLOSED", "closed"));
      },
      [Symbol.dispose]: () => undefined,
    }),
  };
  const pulse = new Pulse(engine, clock);
  const told = vi.fn<(key: ObjectKey, reason: string) => void>();
  pulse.start(told);
  return { clock, pulse, told, server };
}

/** What INFO says of a server with this ROLE. */
function infoOf(role: Reply): string {
  const [word, , , , offset] = Array.isArray(role) ? (role as readonly Reply[]) : [];
  return word === "slave"
    ? `role:slave\r\nmaster_repl_offset:${String(offset)}\r\nslave_repl_offset:${String(offset)}\r\n`
    : "role:master\r\n";
}

const look = async ({ clock, pulse }: ReturnType<typeof play>, isKept = true) =>
  (await clock.runUntil(pulse.look(key, [target], { isKept, signal }))).get("u1");

describe("the pulse", () => {
  it("asks a primary four times a second, and tells nobody while nothing changes", async () => {
    const world = play();
    expect(await look(world)).toMatchObject({ answer: { users: ["default"] }, failure: undefined });
    await world.clock.advance(5000);
    // Whose role is not known yet is asked after half a second.
    expect(world.server.asked).toBe(20);
    expect(world.told).not.toHaveBeenCalled();
  });

  it("tells at once when a connection is lost and the server is gone", async () => {
    const world = play();
    await look(world);
    world.server.fails = "REFUSED";
    world.server.lose();
    await world.clock.advance(0);
    expect(world.told).toHaveBeenCalledExactlyOnceWith(key, "no answer of 10.0.0.1: REFUSED");
    const asked = world.server.asked;
    expect(await look(world)).toMatchObject({ answer: undefined, failure: { code: "REFUSED" } });
    // Who looks does not wait for a server that is silent.
    expect(world.server.asked).toBe(asked);
  });

  it("counts silence from the question that was not answered", async () => {
    const world = play();
    await look(world);
    world.server.fails = "TIMEOUT";
    await world.clock.advance(1100);
    expect(world.told).not.toHaveBeenCalled();
    expect(await look(world)).toMatchObject({ silentMs: 600, isReached: false });
    // Asked again at once, on a new connection, which its machine takes.
    world.server.isReached = true;
    await world.clock.advance(300);
    expect(world.told).toHaveBeenCalledOnce();
    expect(await look(world)).toMatchObject({ silentMs: 900, isReached: true });
    await world.clock.advance(2000);
    expect(world.told).toHaveBeenCalledOnce();
    world.server.fails = undefined;
    await world.clock.advance(2000);
    expect(world.told).toHaveBeenCalledTimes(2);
    expect(await look(world)).toMatchObject({ silentMs: 0, failure: undefined });
  });

  it("gives no old answer of a server whose connection is lost in the middle of a look", async () => {
    const world = play();
    await look(world);
    world.server.closes = true;
    world.server.fails = "TIMEOUT";
    expect(await look(world)).toMatchObject({ answer: undefined, failure: { code: "TIMEOUT" } });
  });

  it("asks a server that has closed its connection once more, on a new one", async () => {
    const world = play();
    expect(await look(world)).toMatchObject({ answer: { facts: { role: "primary" } } });
    world.server.closes = true;
    world.server.role = ["slave", "10.0.0.2", 6379, "connected", 5];
    expect(await look(world)).toMatchObject({ answer: { facts: { role: "replica" } }, failure: undefined });
  });

  it("tells another role, and how long an offset has stood still", async () => {
    const world = play();
    await look(world);
    await world.clock.advance(500);
    world.server.role = ["slave", "10.0.0.2", 6379, "connected", 5];
    await world.clock.advance(2500);
    expect(world.told).toHaveBeenCalledExactlyOnceWith(key, "10.0.0.1 is replica of 10.0.0.2:6379 connected");
  });

  it.each([
    ["is moved by writes", 200, true],
    ["is moved by pings alone", 1000, false],
  ])("knows a stream that %s", async (_what, everyMs, wasBusy) => {
    const world = play();
    world.server.role = ["slave", "10.0.0.2", 6379, "connected", 0];
    await look(world);
    for (let passed = 0; passed < 5000; passed += everyMs) {
      world.server.role = ["slave", "10.0.0.2", 6379, "connected", passed];
      await world.clock.advance(everyMs);
    }
    await world.clock.advance(3000);
    expect(await look(world, true)).toMatchObject({ wasBusy });
  });

  it("asks a primary once a second whether it saves its data, and remembers it when it hangs", async () => {
    const world = play();
    await look(world);
    await world.clock.advance(3000);
    expect(world.server.sections.filter((one) => one !== "USERS")).toEqual(
      Array.from({ length: 3 }, () => "persistence"),
    );
    world.server.info = {
      persistence: "loading:0\r\nrdb_bgsave_in_progress:1\r\n",
      stats: "latest_fork_usec:740000\r\n",
    };
    await world.clock.advance(2500);
    world.server.fails = "TIMEOUT";
    await world.clock.advance(2000);
    expect(await look(world)).toMatchObject({ answer: undefined, forks: { isUnderWay: true, lastMs: 740 } });
  });

  it("asks a replica for its role alone", async () => {
    const world = play();
    world.server.role = ["slave", "10.0.0.2", 6379, "connected", 0];
    await look(world);
    await world.clock.advance(5000);
    expect(world.server.sections).toEqual(["USERS"]);
  });

  it("asks the others at once when an answer is late, so that they are known to hear nothing", async () => {
    const clock = new VirtualClock();
    const asked: string[] = [];
    let hangs = false;
    const engine: Engine = {
      server: (address) => ({
        address,
        async call(commands, { timeoutMs = 0 } = {}) {
          asked.push(`${clock.monotonic()} ${address.host} ${commands.at(-1)?.[0]}`);
          if (hangs && address.host === "10.0.0.1") {
            await clock.sleep(timeoutMs);
            throw new RedisFailure("TIMEOUT", "no");
          }
          const role =
            address.host === "10.0.0.1" ? ["master", 1, []] : ["slave", "10.0.0.1", 6379, "connected", 5];
          return commands.map(([name]) =>
            name === "ROLE" ? role : name === "ACL" ? ["default"] : "role:slave\r\n",
          );
        },
        onLost: () => undefined,
        [Symbol.dispose]: () => undefined,
      }),
    };
    const pulse = new Pulse(engine, clock);
    pulse.start(() => undefined);
    const other = { ...target, uid: "u2", host: "10.0.0.2" };
    await clock.runUntil(pulse.look(key, [target, other], { isKept: true, signal }));
    await clock.advance(1100);
    hangs = true;
    asked.length = 0;
    await clock.advance(700);
    const first = asked.find((one) => one.includes("10.0.0.1"));
    const at = Number(first?.split(" ")[0]);
    expect(asked).toContain(`${at + 200} 10.0.0.2 ROLE`);
    pulse.stop();
  });

  it.each([true, false])(
    "looks again at who did not answer, though nothing else happens: kept %s",
    async (isKept) => {
      const world = play();
      world.server.fails = "REFUSED";
      await look(world, isKept);
      await world.clock.advance(500);
      // Its pod is ready, and nothing will be heard of it any more.
      expect(await look(world, isKept)).toMatchObject({ answer: undefined });
      await world.clock.advance(2000);
      expect(world.told).toHaveBeenCalledExactlyOnceWith(key, "10.0.0.1 has not answered yet");
      // Busy still.
      expect(await look(world, isKept)).toMatchObject({ answer: undefined });
      world.server.fails = undefined;
      await world.clock.advance(4000);
      expect(world.told).toHaveBeenCalledTimes(2);
      expect(await look(world, isKept)).toMatchObject({ answer: { facts: { role: "primary" } } });
      await world.clock.advance(600_000);
      expect(world.told).toHaveBeenCalledTimes(2);
    },
  );

  it("looks again at a single server that has answered before", async () => {
    const world = play();
    await look(world, false);
    world.server.fails = "TIMEOUT";
    await look(world, false);
    world.server.fails = undefined;
    await world.clock.advance(2000);
    expect(world.told).toHaveBeenCalledOnce();
    expect(await look(world, false)).toMatchObject({ answer: { facts: { role: "primary" } } });
  });

  it("asks nobody for ever who has never answered, anew when something happens, and forgets who is gone", async () => {
    const world = play();
    const other = { ...target, uid: "u2", host: "10.0.0.2" };
    const lookAtBoth = () => world.pulse.look(key, [target, other], { isKept: true, signal });
    world.told.mockImplementation(() => void lookAtBoth());
    world.server.fails = "UNREACHABLE";
    await lookAtBoth();
    await world.clock.advance(600_000);
    expect(world.told).toHaveBeenCalledTimes(6);
    expect(world.server.asked).toBe(14);
    expect(world.clock.pending().timers).toBe(0);
    await lookAtBoth();
    await world.clock.advance(10_000);
    expect(world.told).toHaveBeenCalledTimes(8);
    world.server.fails = undefined;
    await lookAtBoth();
    world.pulse.forget(key);
    const { asked } = world.server;
    await world.clock.advance(60_000);
    expect(world.server.asked).toBe(asked);
    expect(world.clock.pending().timers).toBe(0);
  });
});
