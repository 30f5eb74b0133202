import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { TLSSocket } from "node:tls";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority, type CertificateWithKey } from "@kedge/pki";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startServer, type TestServer } from "../testing/start-server.ts";
import { listen } from "./listen.ts";
import type { HttpsDoor } from "./types.ts";

const options = { clock: realClock, random: realRandom };
let [server, door]: [TestServer?, HttpsDoor?] = [];
let authority = "";
let admin: CertificateWithKey | undefined;
let stranger: CertificateWithKey | undefined;

beforeAll(async () => {
  const ca = await createAuthority({ name: "kedge-ca", ...options });
  const other = await createAuthority({ name: "kedge-ca", ...options });
  authority = ca.certificate;
  admin = await ca.issueClient({ user: "jane", groups: ["system:masters", "dev"] });
  stranger = await other.issueClient({ user: "jane", groups: ["system:masters"] });
  const serving = await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] });
  server = await startServer({ defaultRoles: true, clock: realClock });
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: authority };
  door = await listen(server.api, { ...place, clock: realClock });
});

afterAll(async () => {
  await door?.close();
  await server?.[Symbol.asyncDispose]();
});

describe("over HTTP/1.1", () => {
  it("knows users by their certificates", async () => {
    const { status, body } = await ask({ path: "/api/v1/namespaces/default", ...shown(admin) });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ kind: "Namespace", metadata: { name: "default" } });
  });

  it("tells who has none that he may not, and still answers about health", async () => {
    const refused = await ask({ path: "/api/v1/namespaces/default" });
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("system:anonymous");
    expect(await ask({ path: "/healthz" })).toMatchObject({ status: 200, body: "ok" });
  });

  it("does not believe a certificate of another authority", async () => {
    expect(await ask({ path: "/api/v1/namespaces/default", ...shown(stranger) })).toMatchObject({
      status: 401,
    });
  });

  it("refuses a body that is too big, and lives on", async () => {
    const body = JSON.stringify({ metadata: { name: "a" }, data: { a: "x".repeat(4 * 1024 * 1024) } });
    const path = "/api/v1/namespaces/default/configmaps";
    expect(await ask({ path, method: "POST", ...shown(admin) }, body)).toMatchObject({ status: 413 });
    expect(await ask({ path, ...shown(admin) })).toMatchObject({ status: 200 });
  });

  it("answers an upgrade that it does not serve in plain HTTP", async () => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-protocol": "v5.channel.k8s.io",
    };
    const { status } = await ask({
      path: "/api/v1/namespaces/default/pods/a/exec",
      headers,
      ...shown(admin),
    });
    expect([404, 405]).toContain(status);
  });

  it("compresses big answers for those who can read them", async () => {
    for (const name of ["big-a", "big-b"]) {
      await server?.ask("POST", "/api/v1/namespaces/default/configmaps", {
        metadata: { name },
        data: { a: "x".repeat(100_000) },
      });
    }
    const path = "/api/v1/namespaces/default/configmaps";
    const packed = await ask({ path, headers: { "accept-encoding": "gzip" }, ...shown(admin) });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(Number(packed.headers["content-length"])).toBeLessThan(20_000);
  });
});

describe("over HTTP/2", () => {
  it("streams a watch, and ends it on the server when the client goes", async () => {
    const session = connectHttp2(`https://127.0.0.1:${door?.port}`, { ca: authority, ...shown(admin) });
    const stream = session.request({
      ":path": "/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0",
    });
    stream.setEncoding("utf8");
    const text = { all: "" };
    stream.on("data", (chunk: string) => {
      text.all += chunk;
    });
    await server?.ask("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "seen" } });
    while (!text.all.includes('"name":"seen"')) await once(stream, "data");
    stream.close();
    session.close();
    await once(session, "close");
    expect(text.all).toContain('{"type":"ADDED","object":{"kind":"ConfigMap"');
  });

  it("reads the certificate of a connection once, not for each of its requests", async () => {
    const read = vi.spyOn(TLSSocket.prototype, "getPeerCertificate");
    const session = connectHttp2(`https://127.0.0.1:${door?.port}`, { ca: authority, ...shown(admin) });
    await once(session, "connect");
    read.mockClear();
    for (let i = 0; i < 3; i++) {
      const stream = session.request({ ":path": "/api/v1/namespaces/default" });
      stream.resume();
      const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
      expect(headers[":status"]).toBe(200);
    }
    session.close();
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });

  it("takes many requests on one connection", async () => {
    const session = connectHttp2(`https://127.0.0.1:${door?.port}`, { ca: authority, ...shown(admin) });
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const stream = session.request({ ":path": "/version" });
        stream.resume();
        const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
        return headers[":status"];
      }),
    );
    session.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

it("closes while a watch is open", async () => {
  const ca = await createAuthority({ name: "kedge-ca", ...options });
  const serving = await ca.issueServing({ name: "api", hosts: ["127.0.0.1"] });
  const user = await ca.issueClient({ user: "jane", groups: ["system:masters"] });
  await using own = await startServer({ clock: realClock });
  const place = { host: "127.0.0.1", port: 0, serving, clientAuthority: ca.certificate };
  const opened = await listen(own.api, { ...place, clock: realClock });
  const session = connectHttp2(`https://127.0.0.1:${opened.port}`, { ca: ca.certificate, ...shown(user) });
  session.on("error", () => undefined);
  const stream = session.request({ ":path": "/api/v1/pods?watch=true" });
  stream.on("error", () => undefined);
  stream.resume();
  await once(stream, "response");
  const ended = once(stream, "close");
  await opened.close();
  await ended;
  expect(stream.destroyed).toBe(true);
});

function shown(pair: CertificateWithKey | undefined): { cert?: string; key?: string } {
  return pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
}

interface Plain {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function ask(request: RequestOptions, body?: string): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const place = { host: "127.0.0.1", port: door?.port, ca: authority, agent: false } as const;
    const sent = httpsRequest({ ...place, ...request }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const { statusCode: status, headers } = answer;
        resolve({ status, headers, body: Buffer.concat(chunks).toString("utf8") });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
