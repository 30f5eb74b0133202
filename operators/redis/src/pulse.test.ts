import { VirtualClock, type ObjectKey } from "@kedge/machinery";
import { describe, expect, it, vi } from "vitest";
import { RedisFailure, type FailureCode } from "./engine/failure.ts";
import type { Engine, Reply } from "./engine/types.ts";
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
  readonly server: { fails: FailureCode | undefined; role: Reply; asked: number; lose: () => void };
} {
  const clock = new VirtualClock();
  const server = {
    fails: undefined as FailureCode | undefined,
    role: ["master", 1, []] as Reply,
    asked: 0,
    lose: (): void => undefined,
  };
  const engine: Engine = {
    server: (address) => ({
      address,
      async call(commands, { timeoutMs = 0 } = {}) {
        server.asked += 1;
        if (server.fails === "TIMEOUT") await clock.sleep(timeoutMs);
        if (server.fails !== undefined) throw new RedisFailure(server.fails, "no");
        return commands.map(([name]) =>
          name === "ROLE" ? server.role : name === "ACL" ? ["default"] : "role:master\r\n",
        );
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

const look = async ({ clock, pulse }: ReturnType<typeof play>, isKept = true) =>
  (await clock.runUntil(pulse.look(key, [target], { isKept, signal }))).get("u1");

describe("the pulse", () => {
  it("asks twice a second, and tells nobody while nothing changes", async () => {
    const world = play();
    expect(await look(world)).toMatchObject({ answer: { users: ["default"] }, failure: undefined });
    await world.clock.advance(5000);
    expect(world.server.asked).toBe(11);
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
    await world.clock.advance(1500);
    expect(world.told).toHaveBeenCalledOnce();
    expect(await look(world)).toMatchObject({ silentMs: 1000 });
    world.server.fails = undefined;
    await world.clock.advance(2000);
    expect(world.told).toHaveBeenCalledTimes(2);
    expect(await look(world)).toMatchObject({ silentMs: 0, failure: undefined });
  });

  it("tells another role, and how long an offset has stood still", async () => {
    const world = play();
    await look(world);
    await world.clock.advance(500);
    world.server.role = ["slave", "10.0.0.2", 6379, "connected", 5];
    await world.clock.advance(2500);
    expect(world.told).toHaveBeenCalledExactlyOnceWith(key, "10.0.0.1 is replica of 10.0.0.2:6379 connected");
  });

  it("asks nobody again and again who has never answered, and forgets who is gone", async () => {
    const world = play();
    world.server.fails = "UNREACHABLE";
    await look(world);
    await world.clock.advance(60_000);
    expect(world.server.asked).toBe(1);
    world.server.fails = undefined;
    await look(world);
    world.pulse.forget(key);
    const { asked } = world.server;
    await world.clock.advance(60_000);
    expect(world.server.asked).toBe(asked);
    expect(world.clock.pending().timers).toBe(0);
  });
});
