import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { realClock, realRandom, VirtualClock } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../testing/start-server.ts";
import { listen } from "./listen.ts";
import type { HttpsDoor } from "./types.ts";

const clock = new VirtualClock();
let [server, door]: [TestServer?, HttpsDoor?] = [];
let credentials = { ca: "", cert: "", key: "" };

beforeAll(async () => {
  const ca = await createAuthority({ name: "kedge-ca", clock: realClock, random: realRandom });
  const admin = await ca.issueClient({ user: "jane", groups: ["system:masters"] });
  credentials = { ca: ca.certificate, cert: admin.certificate, key: admin.key };
  server = await startServer({ clock });
  door = await listen(server.api, {
    host: "127.0.0.1",
    port: 0,
    serving: await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] }),
    clientAuthority: ca.certificate,
    clock,
  });
});

afterAll(async () => {
  await door?.close();
  await server?.[Symbol.asyncDispose]();
});

describe("a connection of HTTP/1.1", () => {
  it("is told and closed when its first head takes too long", async () => {
    const socket = await opened();
    socket.write("GET /version HTTP/1.1\r\nhost: a\r\nx-slow: ");
    const answer = read(socket);
    await timeUntil(() => socket.destroyed);
    expect(socket.destroyed).toBe(true);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/u);
  });

  it("is closed when the head after an answer does not come to its end", async () => {
    const socket = await opened();
    socket.write("GET /version HTTP/1.1\r\nhost: a\r\n\r\n");
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toContain("200 OK");
    // Node's own limit, which it would say here, is far shorter than ours.
    expect(first.toString()).not.toMatch(/^keep-alive: timeout/imu);
    socket.write("GET /version HTTP/1.1\r\nx-slow: ");
    socket.resume();
    await timeUntil(() => socket.destroyed);
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ["is no HTTP", "nonsense\r\n\r\n", 400],
    ["has a bad header", "GET / HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n", 400],
    ["has a head that is too big", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(70_000)}\r\n\r\n`, 431],
  ])("that %s is told so and closed", async (_, sent, status) => {
    const socket = await opened();
    const answer = read(socket);
    socket.write(sent);
    expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, "u"));
  });

  it("gets the head of a watch before the first event", async () => {
    const socket = await opened();
    const path = "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=1000000";
    const { body } = (await server?.ask("GET", "/api/v1/namespaces/default/configmaps")) ?? {};
    const from = path.replace("1000000", body?.metadata.resourceVersion ?? "");
    socket.write(`GET ${from} HTTP/1.1\r\nhost: a\r\n\r\n`);
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toContain("HTTP/1.1 200 OK");
    socket.destroy();
  });

  it("may have headers that are called as an object's own", async () => {
    const socket = await opened();
    const answer = read(socket);
    socket.write(
      "GET /version HTTP/1.1\r\nhost: a\r\nconstructor: a\r\n__proto__: b\r\nconnection: close\r\n\r\n",
    );
    expect(await answer).toContain("200 OK");
  });

  it("is closed when a body takes too long", async () => {
    const socket = await opened();
    socket.resume();
    socket.write("POST /api/v1/namespaces HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{");
    await timeUntil(() => socket.destroyed);
    expect(socket.destroyed).toBe(true);
  });
});

describe("a connection of HTTP/2", () => {
  it("is closed when it never asks", async () => {
    const session = connectHttp2(`https://127.0.0.1:${door?.port}`, credentials);
    session.on("error", () => undefined);
    await once(session, "connect");
    await timeUntil(() => session.destroyed);
    expect(session.destroyed).toBe(true);
  });

  it("may rest when it has asked", async () => {
    const session = connectHttp2(`https://127.0.0.1:${door?.port}`, credentials);
    for (let round = 0; round < 2; round++) {
      const stream = session.request({ ":path": "/version" });
      stream.resume();
      const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
      expect(headers[":status"]).toBe(200);
      await once(stream, "close");
      await clock.advance(3_600_000);
    }
    session.close();
  });
});

async function opened(): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port: door?.port ?? 0, ...credentials });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

async function read(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => void socket.once("close", resolve));
  return Buffer.concat(chunks).toString();
}

/** Lets virtual time pass, and real connections do their work, until something holds. */
async function timeUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await clock.advance(100);
}
