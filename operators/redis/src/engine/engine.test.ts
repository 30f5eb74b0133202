import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { realClock, VirtualClock } from "@kedge/machinery";
import { describe, expect, it, vi } from "vitest";
import { createEngine } from "./engine.ts";
import type { RedisFailure } from "./failure.ts";
import type { ChannelListener, Dialer, Login, RedisServer, ServerOptions } from "./types.ts";

/** A server that says what the test tells it to say. */
function play(
  login?: Login,
  options?: ServerOptions,
): {
  readonly clock: VirtualClock;
  readonly server: RedisServer;
  /** What has come, connection by connection. */
  readonly heard: string[];
  readonly listeners: ChannelListener[];
  readonly say: (text: string) => void;
} {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const listeners: ChannelListener[] = [];
  const dial: Dialer = async (_address, listener) => {
    const connection = listeners.push(listener) - 1;
    heard.push("");
    return await Promise.resolve({
      write: (bytes) => (heard[connection] += bytes.toString()),
      destroy: () => undefined,
    });
  };
  const server = createEngine({ clock, dial }).server({ host: "cache-0", port: 6379 }, login, options);
  return { clock, server, heard, listeners, say: (text) => listeners.at(-1)?.data(Buffer.from(text)) };
}

const settle = async (clock: VirtualClock): Promise<void> => await clock.advance(0);

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a kept connection", () => {
  it("sends a pipeline at once, and gives replies in order, errors as values", async () => {
    const { clock, server, heard, listeners, say } = play();
    const replies = server.call([["PING"], ["SET", "a", "1"]]);
    const more = server.call([["ROLE"]]);
    await settle(clock);
    expect(listeners).toHaveLength(1);
    expect(heard[0]).toContain("PING");
    say("+PONG\r\n-READONLY no\r\n");
    expect(await replies).toMatchObject(["PONG", { code: "READONLY" }]);
    say("*0\r\n");
    expect(await more).toEqual([[]]);
    const again = server.call([["PING"]]);
    await settle(clock);
    say("+PONG\r\n");
    expect(await again).toEqual(["PONG"]);
    expect(listeners).toHaveLength(1);
  });

  it("logs in first", async () => {
    const { clock, server, heard, say } = play({ username: "probe", password: "secret" });
    const replies = server.call([["PING"]]);
    await settle(clock);
    expect(heard[0]).toBe("*3\r\n$4\r\nAUTH\r\n$5\r\nprobe\r\n$6\r\nsecret\r\n");
    say("+OK\r\n");
    await settle(clock);
    say("+PONG\r\n");
    expect(await replies).toEqual(["PONG"]);
  });

  it("says why it could not log in, without the password, and tries again next time", async () => {
    const { clock, server, listeners, say } = play({ username: "old", password: "secret" });
    const first = failureOf(server.call([["PING"]]));
    await settle(clock);
    say("-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    expect(await first).toMatchObject({ code: "WRONGPASS" });
    const again = failureOf(server.call([["PING"]]));
    await settle(clock);
    expect(listeners).toHaveLength(2);
    await clock.advance(1000);
    // The machine answers, whatever the server does.
    expect(await again).toMatchObject({ code: "TIMEOUT", wasReached: true });
  });

  it("tries the other passwords on the same connection, and gives up with what the server says of the last", async () => {
    const login = { username: "probe", password: "new", others: ["next", "old"] };
    const { clock, server, heard, listeners, say } = play(login);
    const first = server.call([["PING"]]);
    for (const reply of ["-WRONGPASS no", "-WRONGPASS no", "+OK", "+PONG"]) {
      await settle(clock);
      say(`${reply}\r\n`);
    }
    expect(await first).toEqual(["PONG"]);
    expect(listeners).toHaveLength(1);
    expect(heard[0]?.match(/new|next|old/gu)).toEqual(["new", "next", "old"]);
    const other = play(login);
    const refused = failureOf(other.server.call([["PING"]]));
    for (const reply of ["-WRONGPASS no", "-NOPERM no"]) {
      await settle(other.clock);
      other.say(`${reply}\r\n`);
    }
    expect(await refused).toMatchObject({ code: "NOPERM" });
    expect(other.heard[0]).not.toContain("old");
  });

  it("ends a connection that does not answer in time, with all that wait for it", async () => {
    const { clock, server, listeners, say } = play();
    const first = failureOf(server.call([["PING"]], { timeoutMs: 50 }));
    const second = failureOf(server.call([["INFO"]]));
    await clock.advance(50);
    expect(await first).toMatchObject({
      code: "TIMEOUT",
      message: "cache-0:6379: no answer within 50 ms",
    });
    expect(await second).toMatchObject({ code: "TIMEOUT" });
    // An answer that comes too late is nobody's.
    say("+PONG\r\n");
    const third = server.call([["PING"]]);
    await settle(clock);
    expect(listeners).toHaveLength(2);
    say("+again\r\n");
    expect(await third).toEqual(["again"]);
    expect(clock.pending().timers).toBe(0);
  });

  it("tells a reset connection at once, also when nobody waits for an answer", async () => {
    const { clock, server, listeners, say } = play();
    const lost = vi.fn<(why: RedisFailure) => void>();
    server.onLost(lost);
    const call = server.call([["PING"]]);
    await settle(clock);
    say("+PONG\r\n");
    await call;
    listeners[0]?.end(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    expect(lost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "CLOSED" }));
    server[Symbol.dispose]();
    expect(lost).toHaveBeenCalledOnce();
    await expect(server.call([["PING"]])).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("is not made again for whoever wants one connection", async () => {
    const { clock, server, listeners, say } = play(undefined, { isOneConnection: true });
    const call = server.call([["PING"]]);
    await settle(clock);
    say("+PONG\r\n");
    await call;
    listeners[0]?.end();
    await expect(server.call([["PING"]])).rejects.toMatchObject({ code: "CLOSED" });
    expect(listeners).toHaveLength(1);
  });

  it.each([
    ["a half reply", "$10\r\nabc", "HALFREPLY"],
    ["no reply", "", "CLOSED"],
  ])("knows %s", async (_name, text, code) => {
    const { clock, server, listeners, say } = play();
    const call = failureOf(server.call([["PING"]]));
    await settle(clock);
    if (text !== "") say(text);
    listeners[0]?.end();
    expect(await call).toMatchObject({ code });
  });

  it("stops waiting when the caller does", async () => {
    const { clock, server } = play();
    const controller = new AbortController();
    const call = failureOf(server.call([["PING"]], { signal: controller.signal }));
    await settle(clock);
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ code: "ABORTED" });
  });
});

describe("over TCP", () => {
  it("says that nobody listens", async () => {
    const listening = createServer().listen(0, "127.0.0.1");
    await once(listening, "listening");
    const { port } = listening.address() as AddressInfo;
    listening.close();
    await once(listening, "close");
    using server = createEngine({ clock: realClock }).server({ host: "127.0.0.1", port });
    await expect(server.call([["PING"]])).rejects.toMatchObject({ code: "REFUSED" });
  });
});
