import type { UpgradeHandler } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { openPortForward, type PortForwardConnection } from "./port-forward.ts";
import { expectNothingLeft, stalled, take, until } from "./testing/expectations.ts";
import { startPodServer } from "./testing/pod-server.ts";
import { startWebSocketServer, type TestServer } from "./testing/websocket-server.ts";

describe("port-forward", () => {
  test("5 MiB go to the pod and back whole, in both directions at once", async () => {
    const server = await startPodServer((pod) => pod.onData((data) => pod.send(data)));
    const connection = await open(server);
    const sent = Buffer.alloc(5 * 1024 * 1024).map((_, index) => (index * 7 + (index >> 8)) & 255);
    const [received] = await Promise.all([readBytes(connection, sent.length), connection.write(sent)]);
    expect(received.equals(sent)).toBe(true);
    await connection.close();
    expectNothingLeft(server);
  });

  test("the announcements of the port are not data, also for ports over 255", async () => {
    const server = await startPodServer((pod, port) => {
      pod.send(Buffer.from(`you are on ${port}`));
      pod.ws.close(1000);
    });
    const connection = await open(server, 6379);
    expect(Buffer.concat(await take(connection.readable)).toString()).toBe("you are on 6379");
    await until(() => server.clock.pending().timers === 0);
    expectNothingLeft(server);
  });

  test("a port on which nobody listens fails the reader with the kubelet's text", async () => {
    const text =
      "error forwarding port 6379 to pod web-0, uid : failed to execute portforward: connection refused";
    const server = await startPodServer((pod) => pod.fail(text));
    const connection = await open(server);
    await expect(take(connection.readable)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: `port-forward to port 6379: ${text}`,
      hint: "does the pod run, and does a process in it listen on that port?",
    });
    expectNothingLeft(server);
  });

  test("a connection that breaks fails the reader, after what came before", async () => {
    const server = await startPodServer((pod) => {
      pod.ws.send(Buffer.from("\u0000half"), () => pod.ws.terminate());
    });
    const readable = (await open(server)).readable[Symbol.asyncIterator]();
    expect(await readable.next()).toEqual({ done: false, value: Buffer.from("half") });
    await expect(readable.next()).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    expectNothingLeft(server);
  });

  test("a slow reader holds the pod up", async () => {
    let sender: WebSocket | undefined;
    const server = await startPodServer((pod) => {
      sender = pod.ws;
      for (let index = 0; index < 256; index++) pod.send(Buffer.alloc(64 * 1024));
    });
    const connection = await open(server);
    expect(await stalled(() => server.sockets[0]?.bytesRead ?? 0)).toBeLessThan(1024 * 1024);
    expect(sender?.bufferedAmount).toBeGreaterThan(4 * 1024 * 1024);
    expect((await readBytes(connection, 256 * 64 * 1024)).length).toBe(256 * 64 * 1024);
    expectNothingLeft(server);
  });

  test("leaving the reading early closes the connection", async () => {
    const server = await startPodServer((pod) => pod.send(Buffer.from("hello")));
    const connection = await open(server);
    expect(await take(connection.readable, 1)).toEqual([Buffer.from("hello")]);
    await expect(connection.write(Buffer.from("x"))).rejects.toMatchObject({ code: "USAGE" });
    expectNothingLeft(server);
  });

  test("close() ends a reader that waits", async () => {
    const server = await startPodServer(() => undefined);
    const connection = await open(server);
    const reading = take(connection.readable);
    await connection.close();
    expect(await reading).toEqual([]);
    expectNothingLeft(server);
  });

  test("an abort ends a reader that waits", async () => {
    const server = await startPodServer(() => undefined);
    const abort = new AbortController();
    const connection = await open(server, 6379, abort.signal);
    const reading = take(connection.readable);
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
    expectNothingLeft(server);
  });

  test.each([
    {
      announcement: [1, 2],
      text: "port-forward: port 6379 was asked for, but the server announced port 513",
    },
    {
      announcement: [72, 84, 84, 80],
      text: "port-forward: port 6379 was asked for, but the server announced 4 bytes that are no port",
    },
  ])("$text", async ({ announcement, text }) => {
    const server = await startWebSocketServer((ws) => ws.send(Buffer.from([0, ...announcement])));
    const connection = await open(server);
    await expect(take(connection.readable)).rejects.toMatchObject({ code: "PROTOCOL", message: text });
    expectNothingLeft(server);
  });

  test.each([0, -1, 1.5, 65_536])("port %j is refused before anything is sent", async (port) => {
    await expect(openPortForward(nobody, { path: "/", headers: {} }, { port })).rejects.toMatchObject({
      code: "USAGE",
      message: `port-forward: port is ${port}: must be a whole number between 1 and 65535`,
    });
  });
});

const nobody: UpgradeHandler = () => Promise.reject(new Error("must not be called"));

function open(server: TestServer, port = 6379, signal?: AbortSignal): Promise<PortForwardConnection> {
  return openPortForward(server.upgrade, { path: "/portforward", headers: {}, signal }, { port });
}

async function readBytes(connection: PortForwardConnection, count: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of connection.readable) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks);
}
