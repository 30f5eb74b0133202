import { connect, type Socket } from "node:net";
import { silentLogger } from "@kedge/machinery";
import { expect, it } from "vitest";
import { labelsOf } from "../names.ts";
import { instanceOf, podOf } from "../testing/builders.ts";
import { serveSentinel } from "./serve-sentinel.ts";

type Handler = (event: { readonly type: string; readonly object: unknown }) => void;

/** Caches that a test fills; what changes is told as informers tell it. */
function playedCaches() {
  const handlers = { Pod: new Set<Handler>(), RedisInstance: new Set<Handler>() };
  const held = { Pod: [] as readonly unknown[], RedisInstance: [] as readonly unknown[] };
  const of = ({ kind }: { readonly kind: keyof typeof held }) => ({
    list: () => held[kind],
    get: () => held[kind][0],
    onEvent: (handler: Handler) => {
      handlers[kind].add(handler);
      return () => handlers[kind].delete(handler);
    },
  });
  const change = (kind: keyof typeof held, objects: readonly unknown[]): void => {
    held[kind] = objects;
    for (const object of objects) for (const tell of handlers[kind]) tell({ type: "updated", object });
  };
  return { informers: { of: of as never, synced: () => Promise.resolve() }, change, handlers };
}

async function served() {
  const caches = playedCaches();
  const stopping = new AbortController();
  const listening = Promise.withResolvers<{ readonly port: number }>();
  const running = serveSentinel(
    {
      informers: caches.informers,
      listen: { host: "127.0.0.1", port: 0 },
      logger: silentLogger,
      onListening: listening.resolve,
    },
    stopping.signal,
  );
  const { port } = await listening.promise;
  const sockets: Socket[] = [];
  return {
    ...caches,
    dial: () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      sockets.push(socket);
      return new Dialed(socket);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A client that waits for what it expects. */
class Dialed {
  text = "";
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #heard = (): void => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once("close", () => resolve());
    });
    socket.on("data", (bytes: Buffer) => {
      this.text += bytes.toString();
      this.#heard();
    });
  }

  say(...words: readonly string[]): void {
    this.write(
      `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`,
    );
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

const podAt = (name: string, podIP: string): unknown => {
  const pod = podOf(name, { podIP, conditions: [{ type: "Ready", status: "True" }] });
  return { ...pod, metadata: { ...pod.metadata, labels: labelsOf("cache") } };
};
const withPrimary = (primary: string): object => ({
  ...instanceOf(),
  status: { replication: { primary, epoch: 1 } },
});

it("answers from the caches, and tells subscribers of a new primary, once for each name", async () => {
  await using sentinel = await served();
  sentinel.change("RedisInstance", [withPrimary("cache-0")]);
  sentinel.change("Pod", [podAt("cache-0", "10.0.0.1"), podAt("cache-1", "10.0.0.2")]);
  const [asking, listener] = [sentinel.dial(), sentinel.dial()];
  asking.say("SENTINEL", "get-master-addr-by-name", "cache");
  await asking.until("10.0.0.1");
  listener.say("SUBSCRIBE", "+switch-master");
  await listener.until(":1\r\n");
  sentinel.change("RedisInstance", [withPrimary("cache-1")]);
  sentinel.change("Pod", [podAt("cache-0", "10.0.0.1"), podAt("cache-1", "10.0.0.2")]);
  await listener.until("shop/cache 10.0.0.1 6379 10.0.0.2 6379");
  await listener.until("\r\ncache 10.0.0.1 6379 10.0.0.2 6379\r\n");
  expect(listener.text.split("10.0.0.2").length - 1).toBe(2);
  asking.say("SENTINEL", "get-master-addr-by-name", "cache");
  await asking.until("10.0.0.2");
});

it.each([
  ["no command", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a command that is too long", "*1\r\n$99999999\r\n"],
  ["lists in a command", "*1\r\n*1\r\n$4\r\nPING\r\n"],
  ["nothing", "*0\r\n"],
])("cuts off who sends %s", async (_what, text) => {
  await using sentinel = await served();
  const client = sentinel.dial();
  client.write(text);
  await client.closed;
  expect(client.text).toBe("-ERR Protocol error\r\n");
});

it("lets go of everybody when it is stopped", async () => {
  const sentinel = await served();
  const client = sentinel.dial();
  client.say("PING");
  await client.until("+PONG");
  await sentinel[Symbol.asyncDispose]();
  await client.closed;
  expect([sentinel.handlers.Pod.size, sentinel.handlers.RedisInstance.size]).toEqual([0, 0]);
});
