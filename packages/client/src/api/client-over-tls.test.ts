import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock, StatusError, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClientConfig } from "../config/types.ts";
import { loadKubeconfig } from "../config/kubeconfig.ts";
import { chunksOf, jsonAnswer, stalling } from "../testing/bodies.ts";
import { testPem } from "../testing/certificates.ts";
import { testConfig } from "../testing/config.ts";
import { serveHttps, type TestPeer, type TestServer } from "../testing/https-server.ts";
import { connect, type Client } from "../client.ts";

type Handler = (request: ApiRequest, peer: TestPeer) => Promise<ApiResponse>;

const key = { namespace: "default", name: "settings" };
const settings = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...key, uid: "u", resourceVersion: "7" },
};

const status = (code: number, reason: string, extra: object = {}): object => ({
  apiVersion: "v1",
  kind: "Status",
  metadata: {},
  status: "Failure",
  code,
  reason,
  message: `${reason}, says the test`,
  ...extra,
});

describe.each(["h2", "http/1.1"] as const)("the client over TLS with %s", (protocol) => {
  const servers: TestServer[] = [];
  const clients: Client[] = [];
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kedge-client-test-"));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const serve = async (handler: Handler, requestCert = false): Promise<TestServer> => {
    const server = await serveHttps(handler, { protocol, requestCert });
    servers.push(server);
    return server;
  };
  const clientFor = (config: ClientConfig): Client => {
    const client = connect(config);
    clients.push(client);
    return client;
  };

  it("makes one connection for 200 calls in a row", async () => {
    const server = await serve(async () => jsonAnswer(settings));
    const maps = clientFor(testConfig(server.url)).of(ConfigMap);
    for (let i = 0; i < 200; i++) expect((await maps.get(key)).metadata.name).toBe("settings");
    expect(server.connections).toBe(1);
  });

  it("connects again after the server has cut the connection between two calls", async () => {
    const server = await serve(async () => jsonAnswer(settings));
    const maps = clientFor(testConfig(server.url)).of(ConfigMap);
    await maps.get(key);
    server.cut();
    await maps.get(key);
    expect(server.connections).toBe(2);
  });

  it("gives a watch's events, then CONNECTION_LOST when it is cut in the middle", async () => {
    const event = (version: number): string =>
      `${JSON.stringify({ type: "MODIFIED", object: { ...settings, metadata: { ...settings.metadata, resourceVersion: `${version}` } } })}\n`;
    const server = await serve(async (request) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: stalling(request.signal, event(8), event(9), '{"type":"MODI'),
    }));
    const seen: string[] = [];
    const watching = (async () => {
      for await (const change of clientFor(testConfig(server.url))
        .of(ConfigMap)
        .watch({ namespace: "default" })) {
        if (change.type === "BOOKMARK") continue;
        seen.push(change.object.metadata.resourceVersion);
        if (seen.length === 2) server.cut();
      }
    })();
    await expect(watching).rejects.toMatchObject({ name: "ClientError", code: "CONNECTION_LOST" });
    expect(seen).toEqual(["8", "9"]);
  });

  it("throws the 410 of a watch whose version is too old", async () => {
    const error = { type: "ERROR", object: status(410, "Expired") };
    const server = await serve(async () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: chunksOf(`${JSON.stringify(error)}\n`),
    }));
    const events = clientFor(testConfig(server.url)).of(ConfigMap).watch({ resourceVersion: "5" });
    const failure = await first(events).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(StatusError);
    expect(failure).toMatchObject({ code: 410, reason: "Expired" });
  });

  it("waits as long as a 429 asks, then succeeds", async () => {
    let calls = 0;
    const times: number[] = [];
    const server = await serve(async () => {
      times.push(realClock.monotonic());
      calls++;
      if (calls > 1) return jsonAnswer(settings);
      return jsonAnswer(status(429, "TooManyRequests"), { status: 429, headers: { "retry-after": "1" } });
    });
    await clientFor(testConfig(server.url)).of(ConfigMap).get(key);
    expect(calls).toBe(2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("gives the 429 itself, at once, when the pause would pass the deadline", async () => {
    const server = await serve(async () =>
      jsonAnswer(status(429, "TooManyRequests"), { status: 429, headers: { "retry-after": "4000" } }),
    );
    // Neither the pause nor the deadline would come before this test is given up.
    const call = clientFor(testConfig(server.url)).of(ConfigMap).get(key, { timeout: 3_600_000 });
    await expect(call).rejects.toMatchObject({ name: "StatusError", code: 429, retryAfterSeconds: 4000 });
  });

  it("gives DEADLINE when the body stalls", async () => {
    const server = await serve(async (request) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: stalling(request.signal, '{"kind":"ConfigMap",'),
    }));
    const call = clientFor(testConfig(server.url)).of(ConfigMap).get(key, { timeout: 300 });
    await expect(call).rejects.toMatchObject({ name: "ClientError", code: "DEADLINE" });
  });

  it("gives DEADLINE when a watch is silent for too long", async () => {
    const server = await serve(async (request) => ({
      status: 200,
      headers: {},
      body: stalling(request.signal),
    }));
    const events = clientFor(testConfig(server.url)).of(ConfigMap).watch({ idleTimeout: 300 });
    await expect(first(events)).rejects.toMatchObject({ code: "DEADLINE" });
  });

  it("renews a token that the server no longer accepts by its exec plugin, and repeats the call", async () => {
    const server = await serve(async (request) =>
      request.headers["authorization"] === "Bearer token-2"
        ? jsonAnswer(settings)
        : jsonAnswer(status(401, "Unauthorized"), { status: 401 }),
    );
    const count = join(folder, "count");
    const plugin = join(folder, "plugin");
    writeFileSync(
      plugin,
      `#!/bin/sh
echo x >> "${count}"
n=$(wc -l < "${count}" | tr -d ' ')
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"token-%s"}}' "$n"
`,
      { mode: 0o755 },
    );
    const config = await kubeconfig(server.url, {
      exec: { apiVersion: "client.authentication.k8s.io/v1", command: plugin, interactiveMode: "Never" },
    });
    const maps = clientFor(config).of(ConfigMap);
    const answers = await Promise.all([maps.get(key), maps.get(key), maps.get(key)]);
    expect(answers.map(({ kind }) => kind)).toEqual(["ConfigMap", "ConfigMap", "ConfigMap"]);
  });

  it("shows its client certificate, and makes new connections when it was renewed", async () => {
    const server = await serve(
      async (_request, peer) => jsonAnswer({ ...settings, data: { user: peer.commonName } }),
      true,
    );
    const certificate = join(folder, "client.pem");
    const certificateKey = join(folder, "client.key");
    const write = (name: string): void => {
      writeFileSync(certificate, testPem(`${name}.pem`));
      writeFileSync(certificateKey, testPem(`${name}.key`));
    };
    write("client");
    let ahead = 0;
    const clock = { ...realClock, monotonic: () => realClock.monotonic() + ahead };
    const user = { "client-certificate": certificate, "client-key": certificateKey };
    const config = await kubeconfig(server.url, user, clock);
    const maps = clientFor(config).of(ConfigMap);
    expect((await maps.get(key)).data).toEqual({ user: "alice" });
    write("renewed-client");
    ahead += 60_000;
    expect((await maps.get(key)).data).toEqual({ user: "bob" });
    expect(server.connections).toBe(2);
  });

  it.each([
    ["an authority that did not sign the server's certificate", { ca: "other-ca.pem" }, /certificate/],
    ["a server name that the certificate does not carry", { serverName: "elsewhere.example" }, /elsewhere/],
  ])(
    "gives CERTIFICATE for %s",
    async (_what, { ca = "ca.pem", serverName }: { ca?: string; serverName?: string }, text) => {
      const server = await serve(async () => jsonAnswer(settings));
      const trust = { ca: testPem(ca), ...(serverName !== undefined && { serverName }) };
      const call = clientFor(testConfig(server.url, { trust })).of(ConfigMap).get(key);
      await expect(call).rejects.toMatchObject({
        name: "ClientError",
        code: "CERTIFICATE",
        message: expect.stringMatching(text) as string,
      });
    },
  );

  it.each([
    ["tls-server-name that the certificate carries", { ca: "ca.pem", serverName: "kubernetes.default.svc" }],
    ["insecure-skip-tls-verify", { ca: "other-ca.pem", insecure: true }],
  ])("connects with %s", async (_what, { ca, ...trust }) => {
    const server = await serve(async () => jsonAnswer(settings));
    const config = testConfig(server.url, { trust: { ca: testPem(ca), ...trust } });
    await expect(clientFor(config).of(ConfigMap).get(key)).resolves.toMatchObject({ kind: "ConfigMap" });
  });

  it("gives UNREACHABLE, after a few tries, when nobody listens", async () => {
    const server = await serve(async () => jsonAnswer(settings));
    await server[Symbol.asyncDispose]();
    servers.length = 0;
    const call = clientFor(testConfig(server.url)).of(ConfigMap).get(key);
    await expect(call).rejects.toMatchObject({
      code: "UNREACHABLE",
      hint: expect.stringContaining("running") as string,
    });
  });

  it("keeps the base path of the server's URL, and sends whom to impersonate", async () => {
    let seen: ApiRequest | undefined;
    const server = await serve(async (request) => {
      seen = request;
      return jsonAnswer(settings);
    });
    const impersonate = { user: "eve", groups: ["a", "b"], extra: { "example.com/scope": ["x"] } };
    await clientFor(testConfig(`${server.url}/clusters/one`, { impersonate }))
      .of(ConfigMap)
      .get(key);
    expect(seen?.path).toBe("/clusters/one/api/v1/namespaces/default/configmaps/settings");
    expect(seen?.headers).toMatchObject({
      "impersonate-user": "eve",
      "impersonate-extra-example.com%2fscope": "x",
    });
    expect([seen?.headers["impersonate-group"]].flat().join(", ")).toBe("a, b");
  });

  async function kubeconfig(server: string, user: object, clock = realClock): Promise<ClientConfig> {
    const path = join(folder, "config");
    const cluster = {
      server,
      "certificate-authority-data": Buffer.from(testPem("ca.pem")).toString("base64"),
    };
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "test",
        clusters: [{ name: "test", cluster }],
        contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
        users: [{ name: "test", user }],
      }),
    );
    return loadKubeconfig({ path, env: { PATH: "/usr/bin:/bin" }, clock });
  }
});

async function first<T>(events: AsyncIterable<T>): Promise<T | undefined> {
  for await (const event of events) return event;
  return undefined;
}
