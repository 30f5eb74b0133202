import { gzipSync } from "node:zlib";
import { realClock, type ApiHandler, type ApiRequest } from "@kedge/machinery";
import { afterEach, describe, expect, it } from "vitest";
import { chunksOf, jsonAnswer, stalling, textOf } from "../testing/bodies.ts";
import { testConfig } from "../testing/config.ts";
import { serveHttps } from "../testing/https-server.ts";
import { inProcessTransport } from "./in-process-transport.ts";
import { NetworkTransport } from "./network-transport.ts";
import type { Transport } from "./types.ts";

/** The doors: each gives a transport that leads to the handler. */
const doors: Record<string, (handler: ApiHandler) => Promise<Transport & Partial<AsyncDisposable>>> = {
  "network, HTTP/2": (handler) => overNetwork(handler, "h2"),
  "network, HTTP/1.1": (handler) => overNetwork(handler, "http/1.1"),
  "in-process": (handler) => Promise.resolve(inProcessTransport(handler)),
};

async function overNetwork(handler: ApiHandler, protocol: "h2" | "http/1.1") {
  const server = await serveHttps(handler, { protocol });
  const transport = new NetworkTransport(testConfig(server.url), { clock: realClock });
  return {
    request: (request: ApiRequest) => transport.request(request),
    upgrade: transport.upgrade.bind(transport),
    close: () => transport.close(),
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe.each(Object.entries(doors))("transport: %s", (_name, open) => {
  const opened: Partial<AsyncDisposable>[] = [];
  afterEach(async () => {
    for (const door of opened.splice(0)) await door[Symbol.asyncDispose]?.();
  });
  const start = async (handler: ApiHandler): Promise<Transport> => {
    const door = await open(handler);
    opened.push(door);
    return door;
  };
  const get = { method: "GET", path: "/x", headers: {} };

  it("carries method, path with query, headers and body there, and status, headers and body back", async () => {
    let seen: ApiRequest | undefined;
    const transport = await start(async (request) => {
      seen = request;
      return {
        status: 201,
        headers: { "content-type": "text/plain", warning: ['299 - "a"', '299 - "b"'] },
        body: chunksOf("häl", "lo"),
      };
    });
    const answer = await transport.request({
      method: "POST",
      path: "/apis/x?a=%2Fb&c=1",
      headers: { "x-one": "1", "impersonate-group": ["a", "b"] },
      body: '{"ü":1}',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers["content-type"]).toBe("text/plain");
    expect([answer.headers["warning"]].flat().join(", ")).toBe('299 - "a", 299 - "b"');
    expect(await textOf(answer.body)).toBe("hällo");
    expect(seen).toMatchObject({ method: "POST", path: "/apis/x?a=%2Fb&c=1" });
    expect(seen?.headers["x-one"]).toBe("1");
    expect([seen?.headers["impersonate-group"]].flat().join(", ")).toBe("a, b");
    expect(Buffer.from(seen?.body ?? "").toString()).toBe('{"ü":1}');
  });

  it("hands out chunks as they come, not at the end", async () => {
    let send: (text: string) => void = () => undefined;
    const transport = await start(async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (let i = 0; i < 3; i++) {
          yield Buffer.from(await new Promise<string>((resolve) => (send = resolve)));
        }
      })(),
    }));
    const { body } = await transport.request(get);
    const chunks = body[Symbol.asyncIterator]();
    for (const text of ["one", "two", "three"]) {
      const next = chunks.next();
      send(text);
      expect(Buffer.from((await next).value as Uint8Array).toString()).toBe(text);
    }
    expect((await chunks.next()).done).toBe(true);
  });

  it("keeps the whole body for a reader who begins late", async () => {
    const transport = await start(async () => jsonAnswer({ late: true }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => transport.request(get)));
    await realClock.sleep(100);
    for (const { body } of answers) expect(await textOf(body)).toBe('{"late":true}');
  });

  it("tells a reader who begins late that it was aborted in between", async () => {
    const transport = await start(async (request) => ({
      status: 200,
      headers: {},
      body: stalling(request.signal, "some"),
    }));
    const abort = new AbortController();
    const { body } = await transport.request({ ...get, signal: abort.signal });
    abort.abort();
    await realClock.sleep(50);
    await expect(textOf(body)).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("tells the server when the reader leaves early", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const transport = await start(async (request) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        try {
          yield Buffer.from("first");
          yield* stalling(request.signal);
        } finally {
          resolve("closed");
        }
      })(),
    }));
    const abort = new AbortController();
    const { body } = await transport.request({ ...get, signal: abort.signal });
    for await (const _chunk of body) break;
    abort.abort();
    expect(await promise).toBe("closed");
  });

  it("ends the wait for the head when the signal aborts", async () => {
    const abort = new AbortController();
    const transport = await start((request) => {
      abort.abort(new Error("changed my mind"));
      return textOf(stalling(request.signal)).then(() => jsonAnswer({}));
    });
    const answer = transport.request({ ...get, signal: abort.signal });
    await expect(answer).rejects.toMatchObject({ name: "ClientError", code: "ABORTED" });
  });

  it("ends the reading of the body when a deadline passes", async () => {
    const transport = await start(async (request) => ({
      status: 200,
      headers: {},
      body: stalling(request.signal, "some"),
    }));
    using deadline = realClock.deadline(200);
    const answer = await transport.request({ ...get, signal: deadline.signal });
    await expect(textOf(answer.body)).rejects.toMatchObject({ name: "ClientError", code: "DEADLINE" });
  });

  it("does not begin with a signal that is aborted already", async () => {
    let called = false;
    const transport = await start(async () => {
      called = true;
      return jsonAnswer({});
    });
    const answer = transport.request({ ...get, signal: AbortSignal.abort() });
    await expect(answer).rejects.toMatchObject({ code: "ABORTED" });
    expect(called).toBe(false);
  });

  it("runs many exchanges at once, each with its own answer", async () => {
    // By HTTP/1.1 each is a connection: their handshakes share this process, and the time for connecting.
    const count = 60;
    const transport = await start(async (request) => jsonAnswer({ path: request.path }));
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const { body } = await transport.request({ ...get, path: `/${i}` });
        return JSON.parse(await textOf(body)) as { path: string };
      }),
    );
    expect(answers.map(({ path }) => path)).toEqual(Array.from({ length: count }, (_, i) => `/${i}`));
  });

  it("carries a large body whole", async () => {
    const block = Buffer.alloc(1 << 20, "0123456789abcdef");
    const transport = await start(async () => ({
      status: 200,
      headers: {},
      body: chunksOf(...Array.from({ length: 20 }, () => block)),
    }));
    const { body } = await transport.request(get);
    let size = 0;
    for await (const chunk of body) size += chunk.length;
    expect(size).toBe(20 << 20);
  });

  it("makes a slow reader slow the sender down", async () => {
    let sent = 0;
    const block = Buffer.alloc(1 << 20);
    const transport = await start(async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (; sent < 200; sent++) yield block;
      })(),
    }));
    const { body } = await transport.request(get);
    for await (const _chunk of body) {
      // The buffers between both sides (windows, sockets) hold a few dozen megabytes at the very most.
      let before = -1;
      while (before !== sent) {
        before = sent;
        await realClock.sleep(50);
      }
      break;
    }
    expect(sent).toBeLessThan(100);
  });

  it("inflates a gzipped body, or hands over one that the server already inflated", async () => {
    const transport = await start(async (request) =>
      request.headers["x-door"] === "network"
        ? { status: 200, headers: { "content-encoding": "gzip" }, body: chunksOf(gzipSync("plain")) }
        : { status: 200, headers: {}, body: chunksOf("plain") },
    );
    const door = _name.startsWith("network") ? "network" : "in-process";
    const { body } = await transport.request({ ...get, headers: { "x-door": door } });
    expect(await textOf(body)).toBe("plain");
  });

  it("refuses requests after it was closed", async () => {
    const transport = await start(async () => jsonAnswer({}));
    await transport.close();
    await expect(transport.request(get)).rejects.toMatchObject({ code: "UNREACHABLE" });
  });
});
