import { createServer as createTcpServer, type Socket } from "node:net";
import { DeadlineError, type ApiResponse } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { expectNothingLeft, stalled, take, until } from "../streams/testing/expectations.ts";
import {
  serverAt,
  startHttpServer,
  startWebSocketServer,
  type TestServer,
} from "../streams/testing/websocket-server.ts";
import { openWebSocket } from "./websocket.ts";

describe("a WebSocket that does not open", () => {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };

  test("a refusal is an answer, with its body", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(403, { "content-type": "application/json", "set-cookie": ["a", "b"] });
      response.end(JSON.stringify(status));
    });
    const answer = await refusal(server);
    expect(answer.status).toBe(403);
    expect(answer.headers).toMatchObject({ "content-type": "application/json", "set-cookie": ["a", "b"] });
    expect(JSON.parse(Buffer.concat(await take(answer.body)).toString())).toEqual(status);
    await until(() => server.sockets[0]?.destroyed === true);
    expectNothingLeft(server);
  });

  test("a refusal whose body breaks off fails its reader", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(500, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    const answer = await refusal(server);
    await expect(take(answer.body)).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });

  test.each([
    { name: "none of our protocols", protocols: ["other"], offer: ["v5.channel.k8s.io"] },
    { name: "no protocol", protocols: [], offer: ["v5.channel.k8s.io"] },
  ])("a server that chooses $name breaks the protocol", async ({ protocols, offer }) => {
    const server = await startWebSocketServer(() => undefined, { protocols });
    await expect(server.open({ protocols: offer })).rejects.toMatchObject({
      code: "PROTOCOL",
      hint: "a server that speaks one of v5.channel.k8s.io is needed",
    });
    expectNothingLeft(server);
  });

  test.each([
    {
      name: "speaks no HTTP",
      answer: (socket: Socket) => socket.end("220 smtp ready\r\n"),
      code: "PROTOCOL",
    },
    { name: "closes without a word", answer: (socket: Socket) => socket.destroy(), code: "CONNECTION_LOST" },
    {
      name: "agrees with a wrong key",
      answer: (socket: Socket) =>
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
        ),
      code: "PROTOCOL",
    },
  ])("a server that $name", async ({ answer, code }) => {
    const server = await serverAt(
      createTcpServer((socket) => void socket.once("data", () => answer(socket))),
    );
    await expect(server.open()).rejects.toMatchObject({ name: "ClientError", code });
    expectNothingLeft(server);
  });

  test("a connection that cannot be made is unreachable, and the failure of the dialler is kept", async () => {
    const server = await startWebSocketServer(() => undefined);
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    await expect(server.open({ createConnection: () => Promise.reject(cause) })).rejects.toMatchObject({
      code: "UNREACHABLE",
      cause,
    });
  });
});

describe("aborting a WebSocket", () => {
  test("before it began makes no connection", async () => {
    const server = await startWebSocketServer(() => undefined);
    await expect(server.open({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    expect(server.sockets).toEqual([]);
  });

  test("while connecting destroys the connection that comes too late", async () => {
    const server = await startWebSocketServer(() => undefined);
    const late = Promise.withResolvers<void>();
    const { createConnection } = server.options();
    const abort = new AbortController();
    const opening = server.open({
      signal: abort.signal,
      createConnection: async () => {
        await late.promise;
        return createConnection();
      },
    });
    abort.abort();
    await expect(opening).rejects.toMatchObject({ code: "ABORTED" });
    late.resolve();
    await until(() => server.sockets[0]?.destroyed === true);
  });

  test("during the handshake", async () => {
    const abort = new AbortController();
    const server = await serverAt(createTcpServer((peer) => void peer.once("data", () => abort.abort())));
    const opening = server.open({ signal: abort.signal });
    await expect(opening).rejects.toMatchObject({ code: "ABORTED" });
    expectNothingLeft(server);
  });

  test("while the body of a refusal comes", async () => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(403);
      response.write("a beginning");
    });
    const abort = new AbortController();
    const body = (await refusal(server, abort.signal)).body[Symbol.asyncIterator]();
    expect(await body.next()).toMatchObject({ done: false });
    const next = body.next();
    abort.abort();
    await expect(next).rejects.toMatchObject({ code: "ABORTED" });
    expectNothingLeft(server);
  });

  test("while a reader waits", async () => {
    const server = await startWebSocketServer(() => undefined);
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    const reading = take(stream.messages);
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: "ABORTED" });
    await expect(stream.send(Buffer.from("x"))).rejects.toMatchObject({ code: "ABORTED" });
    await stream.close();
    expectNothingLeft(server);
  });

  test("while messages wait for a slow reader: it sees the failure at once", async () => {
    const server = await startWebSocketServer((ws) => {
      for (let index = 0; index < 100; index++) ws.send(Buffer.alloc(64 * 1024));
    });
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    await stalled(() => server.sockets[0]?.bytesRead ?? 0);
    abort.abort();
    const next = stream.messages[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ code: "ABORTED" });
    await stream.close();
    expectNothingLeft(server);
  });

  test("while send() is held up", async () => {
    const server = await startWebSocketServer((ws) => ws.pause());
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    const sending = stream.send(Buffer.alloc(30 * 1024 * 1024));
    await stalled(() => server.sockets[0]?.bytesWritten ?? 0);
    abort.abort();
    await expect(sending).rejects.toMatchObject({ code: "ABORTED" });
    await stream.close();
    expectNothingLeft(server);
  });

  test("while closing cuts the connection", async () => {
    const server = await startWebSocketServer((ws) => ws.pause());
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    const closing = stream.close();
    expect(server.sockets[0]?.destroyed).toBe(false);
    abort.abort();
    await closing;
    expectNothingLeft(server);
  });

  test("a deadline that passes is told apart from an abort", async () => {
    const server = await startWebSocketServer(() => undefined);
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    const reading = take(stream.messages);
    abort.abort(new DeadlineError(50));
    await expect(reading).rejects.toMatchObject({ code: "DEADLINE" });
  });

  test("after the end does nothing", async () => {
    const server = await startWebSocketServer((ws) => ws.send(Buffer.from("last"), () => ws.close(1000)));
    const abort = new AbortController();
    const stream = await server.open({ signal: abort.signal });
    await until(() => server.clock.pending().timers === 0);
    abort.abort();
    expect(await take(stream.messages)).toEqual([Buffer.from("last")]);
  });
});

async function refusal(server: TestServer, signal?: AbortSignal): Promise<ApiResponse> {
  const answer = await openWebSocket(server.options({ signal }));
  if (!("status" in answer)) throw new Error("the server did not refuse");
  return answer;
}
