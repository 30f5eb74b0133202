import { describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { expectNothingLeft, stalled, take, until } from "../streams/testing/expectations.ts";
import { startWebSocketServer } from "../streams/testing/websocket-server.ts";

describe("an open WebSocket", () => {
  test("carries messages both ways, in order", async () => {
    const server = await startWebSocketServer((ws) => ws.on("message", (data) => ws.send(data)));
    const stream = await server.open();
    const sent = Array.from({ length: 100 }, (_, index) => Buffer.from(`message ${index}`));
    await Promise.all(sent.map((message) => stream.send(message)));
    expect(await take(stream.messages, 100)).toEqual(sent);
    await stream.close();
    expectNothingLeft(server);
  });

  test("tells the chosen protocol, and sends headers, also repeated ones, without asking for compression", async () => {
    const heads: Record<string, unknown>[] = [];
    const server = await startWebSocketServer((_ws, request) => heads.push(request.headersDistinct), {
      protocols: ["v4.channel.k8s.io"],
      perMessageDeflate: true,
    });
    const stream = await server.open({
      protocols: ["v5.channel.k8s.io", "v4.channel.k8s.io"],
      headers: { authorization: "Bearer t", "impersonate-group": ["a", "b"] },
    });
    expect(stream.protocol).toBe("v4.channel.k8s.io");
    expect(heads).toEqual([
      expect.objectContaining({
        authorization: ["Bearer t"],
        "impersonate-group": ["a", "b"],
        "sec-websocket-protocol": ["v5.channel.k8s.io,v4.channel.k8s.io"],
      }),
    ]);
    expect(heads[0]).not.toHaveProperty("sec-websocket-extensions");
    await stream.close();
  });

  test.each([
    { name: "with 1000, the messages end", close: (ws: WebSocket) => ws.close(1000) },
    { name: "without a code, the messages end", close: (ws: WebSocket) => ws.close() },
  ])("when the server closes $name", async ({ close }) => {
    const server = await startWebSocketServer((ws) => {
      ws.send(Buffer.from("last"));
      close(ws);
    });
    const stream = await server.open();
    expect(await take(stream.messages)).toEqual([Buffer.from("last")]);
    await expect(stream.send(Buffer.from("late"))).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await stream.close();
    expectNothingLeft(server);
  });

  test.each([
    {
      name: "cuts the connection",
      end: (ws: WebSocket) => ws.terminate(),
      text: /cut without a close message/,
    },
    { name: "goes away", end: (ws: WebSocket) => ws.close(1001, "shutdown"), text: /code 1001 shutdown/ },
    { name: "has an internal error", end: (ws: WebSocket) => ws.close(1011), text: /code 1011/ },
  ])("when the server $name, the messages before it come, then a failure", async ({ end, text }) => {
    const server = await startWebSocketServer((ws) => ws.send(Buffer.from("one"), () => end(ws)));
    const stream = await server.open();
    const messages = stream.messages[Symbol.asyncIterator]();
    expect(await messages.next()).toEqual({ done: false, value: Buffer.from("one") });
    const next = messages.next();
    await expect(next).rejects.toMatchObject({ code: "CONNECTION_LOST" });
    await expect(next).rejects.toThrow(text);
    expectNothingLeft(server);
  });

  test.each([
    { name: "a text message", send: (ws: WebSocket) => ws.send("text") },
    { name: "a message over the limit", send: (ws: WebSocket) => ws.send(Buffer.alloc(33 * 1024 * 1024)) },
  ])("$name breaks the protocol", async ({ send }) => {
    const server = await startWebSocketServer((ws) => send(ws));
    const stream = await server.open();
    await expect(take(stream.messages)).rejects.toMatchObject({ code: "PROTOCOL" });
    await until(() => server.sockets[0]?.destroyed === true);
    expectNothingLeft(server);
  });

  test("close() tells the server, ends a reader that waits, and may be called twice", async () => {
    const codes: number[] = [];
    const server = await startWebSocketServer((ws) => ws.on("close", (code) => codes.push(code)));
    const stream = await server.open();
    const reading = take(stream.messages);
    await Promise.all([stream.close(), stream.close()]);
    expect(await reading).toEqual([]);
    expect(codes).toEqual([1000]);
    await expect(stream.send(Buffer.from("late"))).rejects.toMatchObject({ code: "USAGE" });
    expectNothingLeft(server);
  });

  test("close() does not wait for messages that nobody reads", async () => {
    const server = await startWebSocketServer((ws) => {
      for (let index = 0; index < 100; index++) ws.send(Buffer.alloc(64 * 1024));
    });
    const stream = await server.open();
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    await stream.close();
    expect(await take(stream.messages)).toEqual([]);
    expectNothingLeft(server);
  });

  test("close() waits 5 seconds for a server that does not answer, then cuts", async () => {
    const server = await startWebSocketServer((ws) => ws.pause());
    const stream = await server.open();
    const closing = stream.close();
    await server.clock.advance(4_999);
    expect(server.sockets[0]?.destroyed).toBe(false);
    await server.clock.advance(1);
    await closing;
    expectNothingLeft(server);
  });
});

describe("back-pressure", () => {
  const message = Buffer.alloc(64 * 1024, "x");
  const count = 512; // 32 MiB: much more than all buffers of the system on the way.

  test("a slow reader holds the server up, in little memory, and loses nothing", async () => {
    let sender: WebSocket | undefined;
    const server = await startWebSocketServer((ws) => {
      sender = ws;
      for (let index = 0; index < count; index++) ws.send(numbered(message, index));
      ws.close(1000);
    });
    const stream = await server.open();
    const received = await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    expect(received).toBeLessThan(1024 * 1024);
    expect(sender?.bufferedAmount).toBeGreaterThan(8 * 1024 * 1024);
    const messages = await take(stream.messages);
    expect(messages.map((each) => Buffer.from(each).readUInt32BE())).toEqual([...Array(count).keys()]);
    expect(messages.every((each) => each.length === message.length)).toBe(true);
    expectNothingLeft(server);
  });

  test("a server that does not read holds send() up, and gets everything in order when it reads again", async () => {
    let receiver: WebSocket | undefined;
    const order: number[] = [];
    const server = await startWebSocketServer((ws) => {
      receiver = ws;
      ws.pause();
      ws.on("message", (data: Buffer) => order.push(data.readUInt32BE()));
    });
    const stream = await server.open();
    let sent = 0;
    const sending = (async () => {
      for (let index = 0; index < count; index++) {
        await stream.send(numbered(message, index));
        sent += 1;
      }
    })();
    expect(await stalled(() => sent)).toBeLessThan(count / 2);
    receiver?.resume();
    await sending;
    await until(() => order.length === count);
    expect(order).toEqual([...Array(count).keys()]);
    await stream.close();
  });

  test("a reader that leaves early does not keep the server waiting", async () => {
    let sender: WebSocket | undefined;
    const server = await startWebSocketServer((ws) => {
      sender = ws;
      for (let index = 0; index < count; index++) ws.send(message);
    });
    const stream = await server.open();
    expect(await take(stream.messages, 1)).toHaveLength(1);
    await until(() => sender?.bufferedAmount === 0);
    await stream.close();
    expectNothingLeft(server);
  });
});

describe("the heartbeat of a WebSocket", () => {
  test("pings after 30 seconds of silence, and an answer is enough to live on", async () => {
    let pings = 0;
    const server = await startWebSocketServer((ws) => ws.on("ping", () => (pings += 1)));
    const stream = await server.open();
    for (const round of [1, 2, 3]) {
      const before = server.sockets[0]?.bytesRead ?? 0;
      await server.clock.advance(30_000);
      await until(() => (server.sockets[0]?.bytesRead ?? 0) > before);
      expect(pings).toBe(round);
    }
    await stream.send(Buffer.from("still there"));
    await stream.close();
    expectNothingLeft(server);
  });

  test("a server that does not answer for 30 more seconds is lost", async () => {
    const server = await startWebSocketServer(() => undefined, { autoPong: false });
    const stream = await server.open();
    const failure = take(stream.messages).catch((error: unknown) => error);
    await server.clock.advance(59_999);
    expect(server.sockets[0]?.destroyed).toBe(false);
    await server.clock.advance(1);
    expect(await failure).toMatchObject({
      code: "CONNECTION_LOST",
      message: `connection to ${server.url} was lost: no answer to a ping`,
    });
    expectNothingLeft(server);
  });

  test("a server that takes what we send lives, though it says nothing", async () => {
    const server = await startWebSocketServer(() => undefined, { autoPong: false });
    const stream = await server.open();
    for (let round = 0; round < 10; round++) {
      await server.clock.advance(50_000);
      await stream.send(Buffer.from("x"));
    }
    expect(server.sockets[0]?.destroyed).toBe(false);
    await stream.close();
  });

  test("a pause that has just ended is no silence", async () => {
    const fillsTheInbox = Array.from({ length: 4 }, () => Buffer.alloc(64 * 1024));
    const server = await startWebSocketServer((ws) => {
      for (const message of fillsTheInbox) ws.send(message);
    });
    const stream = await server.open();
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    await server.clock.advance(600_000);
    const messages = stream.messages[Symbol.asyncIterator]();
    for (const message of fillsTheInbox)
      expect(await messages.next()).toEqual({ done: false, value: message });
    await server.clock.advance(30_000);
    expect(server.sockets[0]?.destroyed).toBe(false);
    await stream.close();
  });

  test("there is no ping, and no verdict, while a slow reader makes us hold the server up", async () => {
    let pings = 0;
    const server = await startWebSocketServer((ws) => {
      ws.on("ping", () => (pings += 1));
      for (let index = 0; index < 100; index++) ws.send(Buffer.alloc(64 * 1024));
    });
    const stream = await server.open();
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    await server.clock.advance(600_000);
    expect(await take(stream.messages, 100)).toHaveLength(100);
    expect(pings).toBe(0);
    await stream.close();
  });
});

function numbered(template: Buffer, index: number): Buffer {
  const message = Buffer.from(template);
  message.writeUInt32BE(index);
  return message;
}
