import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { realClock, type ApiResponse, type JsonObject } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";
import { startKubelet } from "../testing/scripted-kubelet.ts";
import type { NodeProxyOptions } from "../types.ts";
import { forward } from "./forward.ts";
import { parseProxiedName } from "./proxied-name.ts";
import { cutProxiedPath } from "./proxied-path.ts";
import { proxyConnects } from "./proxy-connects.ts";

const offline: NodeProxyOptions = {
  clientCertificate: { certificate: "", key: "" },
  authority: undefined,
  clock: realClock,
};

test.each([
  ["web", { scheme: "", name: "web", port: "" }],
  ["web:80", { scheme: "", name: "web", port: "80" }],
  ["https:web:8443", { scheme: "https", name: "web", port: "8443" }],
  [":web:", { scheme: "", name: "web", port: "" }],
  ["ftp:web:80", undefined],
  ["a:b:c:d", undefined],
])("%s names %j", (name, parsed) => {
  expect(parseProxiedName(name)).toEqual(parsed);
});

test.each([
  ["/api/v1/nodes/a/proxy", "/api/v1/nodes/a/proxy", ""],
  ["/api/v1/nodes/a/proxy/", "/api/v1/nodes/a/proxy", "/"],
  ["/api/v1/nodes/proxy/proxy/proxy", "/api/v1/nodes/proxy/proxy", "/proxy"],
  ["/api/v1/nodes/https:proxy:10250/proxy/a//b/", "/api/v1/nodes/https:proxy:10250/proxy", "/a//b/"],
  ["//api/v1/nodes/a/proxy/b", "//api/v1/nodes/a/proxy", "/b"],
  [
    "/api/v1/namespaces/proxy-a/services/a:http/proxy/x",
    "/api/v1/namespaces/proxy-a/services/a:http/proxy",
    "/x",
  ],
  [
    "/api/v1/namespaces/proxy/services/proxy-a:http:/proxy",
    "/api/v1/namespaces/proxy/services/proxy-a:http:/proxy",
    "",
  ],
  [
    "/api/v1/namespaces/proxy/pods/proxy/proxy/proxy/x",
    "/api/v1/namespaces/proxy/pods/proxy/proxy",
    "/proxy/x",
  ],
  [
    "/api/v1/namespaces/pods/pods/https%3Apods%3A8443/proxy/%2Fa%20b",
    "/api/v1/namespaces/pods/pods/https%3Apods%3A8443/proxy",
    "/%2Fa%20b",
  ],
])("%s is cut behind %s", (path, prefix, below) => {
  expect(cutProxiedPath(path)).toEqual({ prefix, below });
});

describe("forwarding", () => {
  async function forwarded(listener: RequestListener, method = "GET", body?: string) {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const place = { scheme: "http", host: "127.0.0.1", port, tls: {} } as const;
    const headers = {
      authorization: "Bearer secret",
      "x-own": "kept",
      "impersonate-user": "jane",
      "Impersonate-Extra-Scopes": "all",
      te: "trailers",
      "http2-settings": "AAMAAABkAAQAAP__",
    };
    try {
      const answer = await forward({ method, path: "/ignored", headers, body }, place, {
        path: "/a?b=1",
        prefix: "/api/v1/proxy",
        clock: realClock,
      });
      return { ...answer, text: await text(Readable.from(answer.body)), port };
    } finally {
      server.close();
    }
  }

  test("passes on what is sent, but not who sent it", async () => {
    let seen: Pick<IncomingMessage, "method" | "url" | "headers"> = { headers: {} };
    const answer = await forwarded(
      (request, response) => {
        seen = { method: request.method, url: request.url, headers: request.headers };
        request.pipe(response.writeHead(201, { "x-theirs": "1", connection: "close" }));
      },
      "POST",
      "hello",
    );
    expect(answer).toMatchObject({ status: 201, text: "hello", headers: { "x-theirs": "1" } });
    expect(answer.headers["connection"]).toBeUndefined();
    expect(seen).toMatchObject({ method: "POST", url: "/a?b=1", headers: { "x-own": "kept" } });
    for (const own of ["authorization", "te", "http2-settings"])
      expect(Object.keys(seen.headers)).not.toContain(own);
    expect(Object.keys(seen.headers).filter((name) => name.startsWith("impersonate"))).toEqual([]);
  });

  test.each(["GET", "DELETE"])("says how long the body of a %s is", async (method) => {
    const answer = await forwarded(
      (request, response) =>
        request.pipe(response.setHeader("x-length", request.headers["content-length"] ?? "")),
      method,
      "héllo",
    );
    expect(answer).toMatchObject({ status: 200, text: "héllo", headers: { "x-length": "6" } });
  });

  test("ends when the other end switches protocols", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
    const asked = forwarded((_, response) => response.socket?.write(head));
    await expect(asked).rejects.toMatchObject({ status: { code: 503, reason: "ServiceUnavailable" } });
  });

  test("leads visitors back through the proxy", async () => {
    const answer = await forwarded((_, response) => response.writeHead(302, { location: "/login" }).end());
    expect(answer.headers["location"]).toBe("/api/v1/proxy/login");
  });

  test("says who cannot be reached", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const place = { scheme: "http", host: "127.0.0.1", port, tls: {} } as const;
    const asked = forward({ method: "GET", path: "/", headers: {} }, place, {
      path: "/",
      prefix: "",
      clock: realClock,
    });
    await expect(asked).rejects.toMatchObject({
      status: {
        code: 503,
        message: expect.stringMatching(/^error trying to reach service: dial tcp .*ECONNREFUSED/u) as string,
      },
    });
  });
});

describe("through the server", () => {
  async function ask(
    server: TestServer,
    path: string,
    method = "GET",
  ): Promise<ApiResponse & { text: string }> {
    const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
    const answer = await handle({ method, path, headers: {} });
    return { ...answer, text: await text(Readable.from(answer.body)) };
  }
  const message = ({ text: said }: { readonly text: string }): unknown =>
    (JSON.parse(said) as JsonObject)["message"];

  test("a node's agent is asked as the API server's user", async () => {
    await using kubelet = await startKubelet({ log: (_, response) => void response.end("well") });
    await using server = await startServer({ clock: realClock, proxies: proxyConnects(kubelet.options) });
    await server.ask("POST", "/api/v1/nodes", { metadata: { name: "node-1" } });
    await server.ask(
      "PATCH",
      "/api/v1/nodes/node-1/status",
      {
        status: {
          addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
          daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
        },
      },
      { headers: { "content-type": "application/merge-patch+json" } },
    );
    const answer = await ask(server, "/api/v1/nodes/node-1/proxy/healthz?verbose=1");
    expect([answer.status, answer.text]).toEqual([200, "well"]);
    expect(kubelet.asked).toEqual(["GET /healthz?verbose=1 as kube-apiserver"]);
    const bare = await ask(server, "/api/v1/nodes/node-1/proxy?x=1");
    expect([bare.status, bare.headers["location"]]).toEqual([301, "/api/v1/nodes/node-1/proxy/?x=1"]);
  });

  test("a pod does not lead to what listens on this machine only", async () => {
    await using server = await startServer({ proxies: proxyConnects(offline) });
    const pods = "/api/v1/namespaces/default/pods";
    await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    await server.ask("POST", pods, {
      metadata: { name: "a" },
      spec: { containers: [{ name: "c", image: "c" }] },
    });
    for (const podIP of [
      "127.0.0.1",
      "169.254.169.254",
      "0.0.0.0",
      "224.0.0.1",
      "::",
      "::1",
      "fe80::1",
      "ff02::1",
      "0:0:0:0:0:0:0:1",
      "::ffff:7f00:1",
      "::ffff:127.0.0.1",
      "::ffff:169.254.169.254",
      "::7f00:1",
    ]) {
      await server.ask(
        "PATCH",
        `${pods}/a/status`,
        { status: { podIP, podIPs: [{ ip: podIP }] } },
        {
          headers: { "content-type": "application/merge-patch+json" },
        },
      );
      const answer = await ask(server, `${pods}/a:80/proxy/`);
      expect([podIP, answer.status, message(answer)]).toEqual([podIP, 400, "address not allowed"]);
    }
    expect((await ask(server, `${pods}/nothing:80/proxy/`)).status).toBe(404);
  });

  test("a service without endpoints, or without the port, is told so", async () => {
    await using server = await startServer({ proxies: proxyConnects(offline) });
    const services = "/api/v1/namespaces/default/services";
    await server.ask("POST", services, {
      metadata: { name: "web" },
      spec: { ports: [{ name: "http", port: 80 }] },
    });
    const other = await ask(server, `${services}/web:82/proxy/`);
    expect([other.status, message(other)]).toEqual([503, 'no service port 82 found for service "web"']);
    // Whoever may write endpoints does not reach by them what is no pod.
    const subsets = [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "http", port: 8080 }] }];
    await server.ask("POST", "/api/v1/namespaces/default/endpoints", { metadata: { name: "web" }, subsets });
    const none = await ask(server, `${services}/web:http/proxy/`);
    expect([none.status, message(none)]).toEqual([503, 'no endpoints available for service "web:http"']);
  });

  test.each([
    ["proxy-a", "web:http"],
    ["proxy", "proxy:http"],
    ["web", "http:proxy-a:http"],
  ])("a service of the namespace %s is sent back to itself as %s", async (namespace, named) => {
    await using server = await startServer({ proxies: proxyConnects(offline) });
    const name = named.replace(/^http:|:http$/gu, "");
    const [ip, kind] = ["10.0.0.1", { "content-type": "application/merge-patch+json" }];
    await server.ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    const all = `/api/v1/namespaces/${namespace}`;
    await server.ask("POST", `${all}/serviceaccounts`, { metadata: { name: "default" } });
    await server.ask("POST", `${all}/pods`, {
      metadata: { name },
      spec: { containers: [{ name: "c", image: "c" }] },
    });
    const status = { podIP: ip, podIPs: [{ ip }] };
    await server.ask("PATCH", `${all}/pods/${name}/status`, { status }, { headers: kind });
    await server.ask("POST", `${all}/services`, {
      metadata: { name },
      spec: { ports: [{ name: "http", port: 80 }] },
    });
    const addresses = [{ ip, targetRef: { kind: "Pod", namespace, name } }];
    const subsets = [{ addresses, ports: [{ name: "http", port: 8080 }] }];
    await server.ask("POST", `${all}/endpoints`, { metadata: { name }, subsets });
    const bare = await ask(server, `${all}/services/${named}/proxy?x=1`);
    expect([bare.status, bare.headers["location"]]).toEqual([301, `${all}/services/${named}/proxy/?x=1`]);
  });

  test("needs the right to it, by the verb of the method", async () => {
    await using server = await startServer({ defaultRoles: true, proxies: proxyConnects(offline) });
    const { handle } = server.api.doorFor({ name: "jane", groups: ["system:authenticated"] });
    const answer = await handle({ method: "POST", path: "/api/v1/nodes/node-1/proxy/run", headers: {} });
    expect([answer.status, message({ text: await text(Readable.from(answer.body)) })]).toEqual([
      403,
      'nodes "node-1" is forbidden: User "jane" cannot create resource "nodes/proxy" in API group "" at the cluster scope',
    ]);
  });
});
