import { once } from "node:events";
import { request } from "node:https";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SpdyClient } from "../spdy/testing/spdy-client.ts";
import { at, openApiPlace, type ApiPlace } from "./testing/api-place.ts";

let place: ApiPlace;
beforeAll(async () => {
  place = await openApiPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

/** Upgrades a request to SPDY; the refusal, if it is refused. */
async function open(
  path: string,
  protocol: string,
): Promise<{ client: SpdyClient; socket: Duplex } | string> {
  const { promise, resolve, reject } = Promise.withResolvers<
    { client: SpdyClient; socket: Duplex } | string
  >();
  const { certificate: cert, key } = place.client;
  const sent = request({
    host: "127.0.0.1",
    port: place.api.port,
    path,
    method: "POST",
    ca: place.ca,
    cert,
    key,
    agent: false,
    headers: { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol },
  });
  sent.once("upgrade", (answer, socket: Duplex) => {
    expect(answer.headers["x-stream-protocol-version"]).toBe(protocol);
    resolve({ client: new SpdyClient(socket), socket });
  });
  sent.once("response", (answer) => {
    text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject);
  });
  sent.once("error", reject);
  sent.end();
  return await promise;
}

async function opened(path: string, protocol: string): Promise<{ client: SpdyClient; socket: Duplex }> {
  const answer = await open(path, protocol);
  if (typeof answer === "string") throw new Error(answer);
  return answer;
}

describe("exec", () => {
  const path = `/exec/${at}?command=cat&command=3&input=1&output=1&error=1`;

  it("has a stream for each of the command's, and one for its status", async () => {
    const { client, socket } = await opened(path, "v4.channel.k8s.io");
    const error = await client.open({ streamType: "error" });
    const stdin = await client.open({ streamType: "stdin" });
    const stdout = await client.open({ streamType: "stdout" });
    const stderr = await client.open({ streamType: "stderr" });
    await client.write(stdin, "hello ");
    await client.write(stdin, "x".repeat(100_000));
    client.end(stdin);
    await once(socket, "close");
    expect(client.received.get(stdout)).toEqual({ text: `hello ${"x".repeat(100_000)}`, state: "ended" });
    expect(client.received.get(stderr)).toEqual({ text: "warned", state: "ended" });
    const status = client.received.get(error);
    expect(status?.state).toBe("ended");
    expect(JSON.parse(status?.text ?? "")).toMatchObject({
      status: "Failure",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
  });

  it("hears of the terminal's size", async () => {
    const { client, socket } = await opened(
      `/exec/${at}?command=cat&input=1&output=1&tty=1`,
      "v4.channel.k8s.io",
    );
    await client.open({ streamType: "error" });
    const stdin = await client.open({ streamType: "stdin" });
    const stdout = await client.open({ streamType: "stdout" });
    const resize = await client.open({ streamType: "resize" });
    await client.write(resize, '{"Width":80,"Height":24}');
    await expect.poll(() => client.received.get(stdout)?.text).toContain("[80x24]");
    client.end(stdin);
    await once(socket, "close");
  });

  it("refuses a protocol that it does not speak", async () => {
    expect(await open(path, "v2.channel.k8s.io")).toContain("400 no common protocol");
  });

  it("breaks off a stream that was not asked for", async () => {
    const { client, socket } = await opened(path, "v4.channel.k8s.io");
    const other = await client.open({ streamType: "other" });
    await expect.poll(() => client.received.get(other)?.state).toBe("reset");
    socket.destroy();
  });
});

describe("port-forward", () => {
  let echo: Server;
  beforeAll(async () => {
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
  });
  afterAll(() => echo.close());

  async function connection(client: SpdyClient, port: number, requestID: string) {
    const headers = { port: String(port), requestID };
    const error = await client.open({ streamType: "error", ...headers });
    client.end(error);
    const data = await client.open({ streamType: "data", ...headers });
    return { error, data };
  }

  it("makes a connection for each pair of streams, which end one by one and by half", async () => {
    const { client, socket } = await opened("/portForward/default/web-0", "portforward.k8s.io");
    const { port } = echo.address() as AddressInfo;
    const pairs = [];
    for (let turn = 0; turn < 20; turn += 1) pairs.push(await connection(client, port, String(turn)));
    for (const { data } of pairs) await client.write(data, `I am ${data}`);
    for (const { data } of pairs) client.end(data);
    for (const { data, error } of pairs) {
      await expect.poll(() => client.received.get(data)).toEqual({ text: `I am ${data}`, state: "ended" });
      await expect.poll(() => client.received.get(error)).toEqual({ text: "", state: "ended" });
    }
    socket.destroy();
  });

  it("tells why on the stream for errors when nobody listens, and goes on with the others", async () => {
    const { client, socket } = await opened("/portForward/default/web-0", "portforward.k8s.io");
    const refused = await connection(client, 1, "0");
    await expect
      .poll(() => client.received.get(refused.error)?.text)
      .toMatch(
        /^error forwarding port 1 to pod \S+, uid : failed to connect to localhost:1 .*connection refused/u,
      );
    const { data } = await connection(client, (echo.address() as AddressInfo).port, "1");
    await client.write(data, "still here");
    await expect.poll(() => client.received.get(data)?.text).toBe("still here");
    socket.destroy();
  });

  it("says nothing of a connection that the client breaks off: kubectl does so at each end", async () => {
    const { client, socket } = await opened("/portForward/default/web-0", "portforward.k8s.io");
    const { data, error } = await connection(client, (echo.address() as AddressInfo).port, "0");
    await client.write(data, "hello");
    await expect.poll(() => client.received.get(data)?.text).toBe("hello");
    client.reset(data);
    await expect.poll(() => client.received.get(error)).toEqual({ text: "", state: "ended" });
    socket.destroy();
  });

  it("a client that vanishes leaves no connection to the pod", async () => {
    const count = async (): Promise<number> =>
      await new Promise((resolve, reject) => {
        echo.getConnections((error, many) => (error === null ? resolve(many) : reject(error)));
      });
    const { client, socket } = await opened("/portForward/default/web-0", "portforward.k8s.io");
    const { data } = await connection(client, (echo.address() as AddressInfo).port, "0");
    await client.write(data, "hello");
    await expect.poll(() => client.received.get(data)?.text).toBe("hello");
    socket.destroy();
    await expect.poll(count).toBe(0);
  });

  it.each([
    ["garbage", Buffer.from("GET / HTTP/1.1\r\n\r\n and more of it that is no frame of SPDY at all")],
    ["a frame of another version", Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ["a frame that is too long", Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
    ["a stream of the server's", Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0])],
  ])("%s cuts the connection", async (_title, bytes) => {
    const { socket } = await opened("/portForward/default/web-0", "portforward.k8s.io");
    const closed = once(socket, "close");
    // The first one looks like data on a stream that is not there, until its length is over.
    socket.end(bytes);
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});
