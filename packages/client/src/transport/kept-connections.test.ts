import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { realClock, VirtualClock, type Clock } from "@kedge/machinery";
import { afterEach, describe, expect, it } from "vitest";
import { jsonAnswer, stalling, textOf } from "../testing/bodies.ts";
import { testConfig } from "../testing/config.ts";
import { serveHttps } from "../testing/https-server.ts";
import { NetworkTransport } from "./network-transport.ts";

const closers: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe("kept connections", () => {
  it.each(["h2", "http/1.1"] as const)("do not keep a program alive that is done: %s", async (protocol) => {
    const server = await serveHttps(async () => jsonAnswer({ ok: true }), { protocol });
    closers.push(() => server[Symbol.asyncDispose]());
    const program = fileURLToPath(new URL("../testing/one-call.ts", import.meta.url));
    const args = ["--conditions=kedge-source", program, server.url, protocol];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const [answer, aliveFor] = stdout.split(" ");
    expect(answer).toBe('{"ok":true}');
    // The shortest timer of a kept connection is 30 s.
    expect(Number(aliveFor)).toBeLessThan(20_000);
  });

  it.each([
    [100, 130],
    [3, 20],
  ])(
    "are as many as it takes: a server allows %i at a time and there are %i watches",
    async (most, watches) => {
      const server = await serveHttps(
        async (request) =>
          request.path === "/get"
            ? jsonAnswer({ ok: true })
            : { status: 200, headers: {}, body: stalling(request.signal) },
        { protocol: "h2", maxStreams: most },
      );
      closers.push(() => server[Symbol.asyncDispose]());
      const transport = new NetworkTransport(testConfig(server.url), { clock: realClock });
      closers.push(() => transport.close());
      const open = (path: string) => transport.request({ method: "GET", path, headers: {} });
      await Promise.all(Array.from({ length: watches }, () => open("/watch")));
      const { body } = await open("/get");
      expect(await textOf(body)).toBe('{"ok":true}');
      expect(server.connections).toBe(Math.ceil((watches + 1) / most));
    },
  );

  it("are given up when the peer answers no ping: a watch on a dead network must not wait forever", async () => {
    const server = await serveHttps(
      async (request) => ({ status: 200, headers: {}, body: stalling(request.signal) }),
      { protocol: "h2" },
    );
    const relay = await startRelay(server.port);
    closers.push(
      () => relay.close(),
      () => server[Symbol.asyncDispose](),
    );
    const virtual = new VirtualClock();
    const transport = new NetworkTransport(testConfig(`https://127.0.0.1:${relay.port}`), {
      clock: connectingOn(realClock, virtual),
    });
    closers.push(() => transport.close());
    const { body } = await transport.request({ method: "GET", path: "/", headers: {} });
    const failure = textOf(body).catch((error: unknown) => error);
    relay.silence();
    // The head came within the first half minute; then silence for another; then a ping without an answer.
    await virtual.advance(30_000);
    await virtual.advance(30_000);
    await virtual.advance(15_000);
    expect(await failure).toMatchObject({ code: "CONNECTION_LOST" });
  });

  it("stay when the peer answers the ping", async () => {
    let answer: () => void = () => undefined;
    const server = await serveHttps(
      async () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          await new Promise<void>((resolve) => (answer = resolve));
          yield Buffer.from("late");
        })(),
      }),
      { protocol: "h2" },
    );
    closers.push(() => server[Symbol.asyncDispose]());
    const virtual = new VirtualClock();
    const timers: number[] = [];
    const clock = connectingOn(realClock, virtual, timers);
    const transport = new NetworkTransport(testConfig(server.url), { clock });
    closers.push(() => transport.close());
    const { body } = await transport.request({ method: "GET", path: "/", headers: {} });
    const reading = textOf(body);
    await virtual.advance(30_000);
    for (let i = 1; i <= 4; i++) {
      // A look at the peer, a ping, and (real I/O) its answer, which sets the next look.
      await virtual.advance(30_000);
      await expect.poll(() => timers.length).toBe(2 * i + 2);
    }
    expect(timers).toEqual([30, 30, 15, 30, 15, 30, 15, 30, 15, 30].map((seconds) => seconds * 1000));
    answer();
    expect(await reading).toBe("late");
  });
});

/** Deadlines of real connections are real; everything else is virtual. */
function connectingOn(real: Clock, virtual: VirtualClock, timers: number[] = []): Clock {
  return {
    now: () => virtual.now(),
    monotonic: () => virtual.monotonic(),
    timer(ms, callback) {
      timers.push(ms);
      return virtual.timer(ms, callback);
    },
    sleep: (ms, signal) => virtual.sleep(ms, signal),
    deadline: (ms, parent) => real.deadline(ms, parent),
    track: (work) => real.track(work),
  };
}

/** Passes bytes on until it is silenced: then both sides stay connected and hear nothing. */
async function startRelay(to: number) {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    for (const socket of [client, upstream]) sockets.push(socket.on("error", () => undefined));
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
