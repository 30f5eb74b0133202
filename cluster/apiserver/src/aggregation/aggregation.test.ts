import type { ApiResponse } from "@kedge/machinery";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startServer, type Answer, type TestServer } from "../testing/start-server.ts";
import { extensionService, startExtensionServer, type ExtensionServer } from "./testing/extension-server.ts";

const options = { clock: realClock, random: realRandom };
const flunders = "/apis/wardle.example.com/v1/namespaces/default/flunders";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";

let server: TestServer;
let extension: ExtensionServer;

beforeEach(async () => {
  const front = await createAuthority({ name: "front", ...options });
  const client = await front.issueClient({ user: "front-proxy-client", groups: [] });
  const frontProxy = { authority: front.certificate, client, name: "front-proxy-client" };
  extension = await startExtensionServer({ frontProxyAuthority: front.certificate });
  server = await startServer({ clock: realClock, clientAuthority: "PEM", frontProxy });
  await server.ask("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: extensionService.name },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await extension[Symbol.asyncDispose]();
});

function apiService(spec: object = {}) {
  return {
    metadata: { name: "v1.wardle.example.com" },
    spec: {
      group: "wardle.example.com",
      version: "v1",
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      service: { ...extensionService, port: extension.port },
      caBundle: extension.authority,
      ...spec,
    },
  };
}

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

async function condition(): Promise<Condition | undefined> {
  const { body } = await server.ask("GET", `${services}/v1.wardle.example.com`);
  return (body["status"] as { readonly conditions?: readonly Condition[] }).conditions?.[0];
}

async function register(spec: object = {}): Promise<void> {
  expect((await server.ask("POST", services, apiService(spec))).status).toBe(201);
}

async function registered(): Promise<void> {
  await register();
  await expect
    .poll(condition)
    .toMatchObject({ status: "True", reason: "Passed", message: "all checks passed" });
}

async function textOf({ body }: ApiResponse): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString("utf8");
}

const handle = (path: string, more: object = {}): Promise<ApiResponse> =>
  server.api
    .doorFor({ name: "jane", groups: ["system:masters"] })
    .handle({ method: "GET", path, headers: {}, ...more });

describe("a group version of another server", () => {
  test("is served through this one", async () => {
    await registered();
    expect(await server.ask("POST", flunders, { metadata: { name: "a" } })).toMatchObject({
      status: 201,
      body: { kind: "Flunder", metadata: { name: "a" } },
    });
    expect((await server.ask("GET", `${flunders}/a`)).body.metadata.name).toBe("a");
    expect((await server.ask("GET", `${flunders}/b`)).status).toBe(404);
  });

  test("is told who asks, and not by whoever asks", async () => {
    await registered();
    const user = {
      name: "jane",
      uid: "u1",
      groups: ["a", "system:masters"],
      extra: { "example.com/k%y": ["1", "ü"] },
    };
    const headers = {
      authorization: "Bearer secret",
      "impersonate-user": "nobody",
      "x-remote-user": "root",
      "x-remote-group": ["system:masters"],
      "x-remote-extra-scopes": "all",
      "x-own": "kept",
      "audit-id": "id-1",
    };
    const { handle: ask } = server.api.doorFor(user);
    const { "impersonate-user": _, ...sent } = headers;
    expect((await ask({ method: "GET", path: `${flunders}?limit=5`, headers: sent })).status).toBe(200);
    const seen = extension.seen.at(-1);
    expect(seen).toMatchObject({ by: "front-proxy-client", path: `${flunders}?limit=5` });
    expect(seen?.headers).toMatchObject({
      "x-own": "kept",
      "audit-id": "id-1",
      "x-remote-user": "jane",
      "x-remote-uid": "u1",
      "x-remote-group": "a, system:masters, system:authenticated",
      "x-remote-extra-example.com%2fk%25y": `1, ${Buffer.from("ü").toString("latin1")}`,
    });
    expect(Object.keys(seen?.headers ?? {})).not.toContain("authorization");
    expect(Object.keys(seen?.headers ?? {})).not.toContain("x-remote-extra-scopes");
  });

  test("is asked only by those who may", async () => {
    await registered();
    const { handle: ask } = server.api.doorFor({ name: "joe", groups: [] });
    expect((await ask({ method: "GET", path: flunders, headers: {} })).status).toBe(403);
    expect(extension.seen).toEqual([]);
  });

  test("is in discovery, of both kinds, and in OpenAPI", async () => {
    await registered();
    const { body } = await server.ask("GET", "/apis");
    const names = (body["groups"] as readonly { name: string }[]).map(({ name }) => name);
    expect(names.indexOf("wardle.example.com")).toBeGreaterThan(names.indexOf("apps"));
    expect((await server.ask("GET", "/apis/wardle.example.com")).body).toMatchObject({
      preferredVersion: { version: "v1" },
    });
    expect((await server.ask("GET", "/apis/wardle.example.com/v1")).body).toMatchObject({
      resources: [{ name: "flunders" }, { name: "flunders/status" }],
    });
    expect(await aggregated()).toMatchObject({
      versions: [{ version: "v1", freshness: "Current", resources: [{ resource: "flunders" }] }],
    });
    const { body: index } = await server.ask("GET", "/openapi/v3");
    expect(index["paths"]).toMatchObject({
      "apis/wardle.example.com/v1": { serverRelativeURL: "/openapi/v3/apis/wardle.example.com/v1?hash=A" },
    });
    expect((await server.ask("GET", "/openapi/v3/apis/wardle.example.com/v1?hash=A")).body).toMatchObject({
      info: { title: "wardle" },
    });
  });

  test("streams a watch", async () => {
    await registered();
    await server.ask("POST", flunders, { metadata: { name: "a" } });
    const watch = await server.watch(`${flunders}?watch=true`);
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    await watch.close();
  });

  test("is away as long as its server is, and comes back", async () => {
    await registered();
    extension.behaviours.set("/apis/wardle.example.com/v1", (_request, response) => {
      response.writeHead(500).end();
    });
    await touch();
    await expect.poll(condition).toMatchObject({
      status: "False",
      reason: "FailedDiscoveryCheck",
      message: expect.stringMatching(
        /^failing or missing response from https:\/\/localhost:\d+\/apis\/wardle.example.com\/v1: bad status from .*: 500$/u,
      ) as unknown,
    });
    const away = await handle(flunders);
    expect([away.status, await textOf(away)]).toEqual([503, "service unavailable\n"]);
    expect(await aggregated()).toMatchObject({ versions: [{ version: "v1", freshness: "Stale" }] });
    extension.behaviours.clear();
    await expect.poll(condition).toMatchObject({ status: "True" });
    expect((await server.ask("GET", flunders)).status).toBe(200);
  });

  test("goes when its APIService goes", async () => {
    await registered();
    await server.ask("DELETE", `${services}/v1.wardle.example.com`);
    expect((await handle(flunders)).status).toBe(404);
    expect(await aggregated()).toBeUndefined();
  });
});

describe("an APIService of another server", () => {
  test.each([
    [
      { service: { namespace: "default", name: "nobody" } },
      "ServiceNotFound",
      'service/nobody in "default" is not present',
    ],
    [
      { service: { namespace: "default", name: "kubernetes", port: 444 } },
      "ServicePortError",
      'service/kubernetes in "default" is not listening on port 444',
    ],
    [
      { service: { namespace: "default", name: "empty" } },
      "EndpointsNotFound",
      'cannot find endpointslices for service/empty in "default"',
    ],
  ])("says why it is not available: %j", async (spec, reason, message) => {
    await server.ask("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "empty" },
      spec: { ports: [{ port: 443 }] },
    });
    await register(spec);
    await expect.poll(condition).toMatchObject({ status: "False", reason, message });
  });

  test("is not available when nobody who is trusted has signed its certificate", async () => {
    await register({ caBundle: undefined });
    await expect.poll(condition).toMatchObject({
      reason: "FailedDiscoveryCheck",
      message: expect.stringMatching(/x509: certificate signed by unknown authority$/u) as unknown,
    });
    await server.ask(
      "PATCH",
      `${services}/v1.wardle.example.com`,
      { spec: { insecureSkipTLSVerify: true } },
      merge,
    );
    await expect.poll(condition).toMatchObject({ status: "True" });
  });

  test.each([
    [{ service: {} }, ["spec.service.namespace: Required value", "spec.service.name: Required value"]],
    [
      { service: { ...extensionService, port: 0 } },
      ["spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"],
    ],
    [
      { insecureSkipTLSVerify: true },
      ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"],
    ],
  ])("is refused when it is wrong: %j", async (spec, messages) => {
    const { status, body } = await server.ask("POST", services, apiService(spec));
    expect(status).toBe(422);
    for (const message of messages) expect(body.message).toContain(message);
  });

  test("has the port 443 unless it says another", async () => {
    await register({ service: extensionService });
    const { body } = await server.ask("GET", `${services}/v1.wardle.example.com`);
    expect(body["spec"]).toMatchObject({ service: { port: 443 } });
  });
});

test("servers beside this one are told whom to believe", async () => {
  const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  expect((await server.ask("GET", path)).body["data"]).toMatchObject({
    "client-ca-file": "PEM",
    "requestheader-allowed-names": '["front-proxy-client"]',
    "requestheader-client-ca-file": expect.stringContaining("BEGIN CERTIFICATE") as unknown,
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-username-headers": '["X-Remote-User"]',
  });
});

const merge = { headers: { "content-type": "application/merge-patch+json" } };

/** Has it looked at now, not in half a minute. */
async function touch(): Promise<void> {
  const labels = { touched: String(realClock.now()) };
  await server.ask("PATCH", "/api/v1/namespaces/default/services/wardle", { metadata: { labels } }, merge);
}

async function aggregated(): Promise<unknown> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { body }: Answer = await server.ask("GET", "/apis", undefined, { headers: { accept } });
  const items = body["items"] as readonly { readonly metadata: { readonly name: string } }[];
  return items.find(({ metadata }) => metadata.name === "wardle.example.com");
}
