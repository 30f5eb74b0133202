import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { Clock } from "@kedge/machinery";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenPortForward, type PortForwardListener } from "./listen-port-forward.ts";
import { openPortForward } from "./port-forward.ts";
import { expectNothingLeft, stalled, until } from "./testing/expectations.ts";
import { startPodServer, type PodSide } from "./testing/pod-server.ts";
import type { TestServer } from "./testing/websocket-server.ts";

describe("a forwarded port", () => {
  test("carries 5 MiB both ways whole, for several connections at once", async () => {
    const { listener } = await forward((pod) => pod.onData((data) => pod.send(data)));
    const echoes = [1, 2, 3].map(async (factor) => {
      const client = await dial(listener);
      const sent = Buffer.alloc(5 * 1024 * 1024).map((_, index) => (index * factor + (index >> 8)) & 255);
      client.write(sent);
      return (await read(client, sent.length)).equals(sent);
    });
    expect(await Promise.all(echoes)).toEqual([true, true, true]);
  });

  test("listens on 127.0.0.1 and a free port unless told otherwise", async () => {
    const { listener } = await forward(() => undefined);
    expect(listener.host).toBe("127.0.0.1");
    expect(listener.port).toBeGreaterThan(0);
  });

  test("when the pod closes, the client gets all that was sent, then the end", async () => {
    const { listener, server } = await forward((pod) => {
      pod.send(Buffer.alloc(1024 * 1024, "x"));
      pod.ws.close(1000);
    });
    const client = await dial(listener);
    expect((await read(client)).length).toBe(1024 * 1024);
    await until(() => server.clock.pending().timers === 0);
    expectNothingLeft(server);
  });

  test("a client that has ended still gets its answer; 2 seconds after the pod's last byte all is closed", async () => {
    let pod: PodSide | undefined;
    let asked = "";
    const { listener, server } = await forward((each) => {
      pod = each;
      each.onData((data) => (asked += data.toString()));
    });
    const client = await dial(listener);
    client.end("question");
    await until(() => asked === "question" && server.clock.pending().timers === 2);
    await server.clock.advance(1_500);
    pod?.send(Buffer.from("answer"));
    const answer = read(client);
    await once(client, "data");
    await server.clock.advance(1_999);
    expect(client.closed).toBe(false);
    await server.clock.advance(1);
    expect((await answer).toString()).toBe("answer");
    await until(() => server.clock.pending().timers === 0);
    expectNothingLeft(server);
  });

  test("a client that breaks off closes its connection to the pod only, and is no error", async () => {
    const pods: PodSide[] = [];
    const { listener, errors } = await forward((pod) => {
      pods.push(pod);
      pod.onData((data) => pod.send(data));
    });
    const [first, second] = [await dial(listener), await dial(listener)];
    await until(() => pods.length === 2);
    await echo(first, "a");
    await echo(second, "b");
    const closed = Promise.all(pods.slice(0, 1).map(({ ws }) => once(ws, "close")));
    first.resetAndDestroy();
    await closed;
    await echo(second, "still there");
    expect(errors).toEqual([]);
  });

  test("a connection that the pod refuses is reset and reported, and the next one works", async () => {
    let count = 0;
    const { listener, errors } = await forward((pod) => {
      count += 1;
      if (count === 1) pod.fail("connection refused");
      else pod.onData((data) => pod.send(data));
    });
    await expect(read(startDial(listener))).rejects.toMatchObject({ code: "ECONNRESET" });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatchObject({ message: "port-forward to port 6379: connection refused" });
    await echo(await dial(listener), "works");
  });

  test("a stream that cannot be opened resets its client, and is reported", async () => {
    const errors: Error[] = [];
    const server = await startPodServer(() => undefined);
    const listener = await listenPortForward({
      clock: server.clock,
      open: () => Promise.reject(new Error("forbidden")),
      onError: (error) => errors.push(error),
    });
    onTestFinished(() => listener.close());
    await expect(read(startDial(listener))).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(errors).toEqual([new Error("forbidden")]);
  });

  test("a slow client holds the pod up", async () => {
    let pod: PodSide | undefined;
    const { listener, server } = await forward((each) => {
      pod = each;
      for (let index = 0; index < 512; index++) each.send(Buffer.alloc(64 * 1024));
    });
    const client = await dial(listener);
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    expect(pod?.ws.bufferedAmount).toBeGreaterThan(4 * 1024 * 1024);
    expect((await read(client, 512 * 64 * 1024)).length).toBe(512 * 64 * 1024);
  });
});

describe("close() of a forwarded port", () => {
  test("cuts open connections, refuses new ones, leaves nothing, and may be called twice", async () => {
    const { listener, server, errors } = await forward((pod) => pod.onData((data) => pod.send(data)));
    const client = await dial(listener);
    await echo(client, "hello");
    const broken = read(client).catch((error: unknown) => error);
    await Promise.all([listener.close(), listener.close()]);
    expect(await broken).toMatchObject({ code: "ECONNRESET" });
    await expect(dial(listener)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(errors).toEqual([]);
    expectNothingLeft(server);
  });

  test("ends a stream that is just being opened", async () => {
    let opening: AbortSignal | undefined;
    const server = await startPodServer(() => undefined);
    const listener = await listenPortForward({
      clock: server.clock,
      open: (signal) =>
        new Promise((_resolve, reject) => {
          opening = signal;
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    const client = await dial(listener);
    client.on("error", () => undefined);
    await until(() => opening !== undefined);
    await listener.close();
    expect(opening?.aborted).toBe(true);
  });
});

test("a local port that is taken is named, with a way out", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const clock: Clock = (await startPodServer(() => undefined)).clock;
  const listening = listenPortForward({ clock, port, open: () => Promise.reject(new Error("unused")) });
  await expect(listening).rejects.toThrow(`port-forward: cannot listen on 127.0.0.1:${port}`);
  await expect(listening).rejects.toMatchObject({
    hint: "choose another local port, or 0 for any that is free",
  });
});

interface Forward {
  readonly server: TestServer;
  readonly listener: PortForwardListener;
  readonly errors: Error[];
}

async function forward(serve: (pod: PodSide, port: number) => void): Promise<Forward> {
  const server = await startPodServer(serve);
  const errors: Error[] = [];
  const listener = await listenPortForward({
    clock: server.clock,
    open: (signal) =>
      openPortForward(server.upgrade, { path: "/portforward", headers: {}, signal }, { port: 6379 }),
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => listener.close());
  return { server, listener, errors };
}

async function dial(listener: PortForwardListener): Promise<Socket> {
  const client = startDial(listener);
  await once(client, "connect");
  return client;
}

function startDial(listener: PortForwardListener): Socket {
  const client = connect({ port: listener.port, host: listener.host, allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  return client;
}

/** Reads so many bytes, or all that comes. */
async function read(client: Socket, count = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks);
}

async function echo(client: Socket, text: string): Promise<void> {
  client.write(text);
  expect((await read(client, Buffer.byteLength(text))).toString()).toBe(text);
}
