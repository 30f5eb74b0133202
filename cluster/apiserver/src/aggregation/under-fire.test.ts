import { once } from "node:events";
import { connect } from "node:tls";
import { realClock, realRandom, type ApiResponse } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listen } from "../door/listen.ts";
import { everythingOf, levelObject, schemaObject } from "../flow-control/testing/flows.ts";
import { startServer, type TestServer } from "../testing/start-server.ts";
import { extensionService, startExtensionServer, type ExtensionServer } from "./testing/extension-server.ts";

const options = { clock: realClock, random: realRandom };
const version = "/apis/wardle.example.com/v1";
const flunders = `${version}/namespaces/default/flunders`;
const services = "/apis/apiregistration.k8s.io/v1/apiservices";

let server: TestServer;
let extension: ExtensionServer;

beforeEach(async () => {
  extension = await startExtensionServer();
  server = await startServer({ clock: realClock });
  await server.ask("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: extensionService.name },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await extension[Symbol.asyncDispose]();
});

async function register({
  name = "v1.wardle.example.com",
  port = extension.port,
  isUp = true,
} = {}): Promise<void> {
  const [, group] = /^v1\.(.*)$/u.exec(name) ?? [];
  const spec = {
    ...(group !== "" && { group }),
    version: "v1",
    groupPriorityMinimum: 2000,
    versionPriority: 10,
    service: { ...extensionService, port },
    caBundle: extension.authority,
  };
  await server.ask("POST", services, { metadata: { name }, spec });
  const status = async () => (await server.ask("GET", `${services}/${name}`)).body["status"];
  const wanted = { conditions: [{ type: "Available", status: isUp ? "True" : "False" }] };
  await expect.poll(status).toMatchObject(wanted);
}

const handle = (path: string, more: object = {}): Promise<ApiResponse> =>
  server.api
    .doorFor({ name: "jane", groups: ["system:masters"] })
    .handle({ method: "GET", path, headers: {}, ...more });

async function asked(path: string, more: object = {}): Promise<readonly [number, string]> {
  const answer = await handle(path, more);
  return [answer.status, Buffer.concat(await Array.fromAsync(answer.body)).toString("utf8")];
}

test("a server that sends its clients elsewhere is not followed", async () => {
  await register();
  extension.behaviours.set(flunders, (_request, response) => {
    response.writeHead(302, { location: "https://169.254.169.254/" }).end();
  });
  expect(await asked(flunders)).toEqual([
    502,
    "the backend attempted to redirect this request, which is not permitted",
  ]);
});

test("a server that says nothing is given up, and so is one whose client has gone", async () => {
  await register();
  const gone = Promise.withResolvers<unknown>();
  extension.behaviours.set(flunders, (request) => void request.socket.once("close", gone.resolve));
  const leaving = new AbortController();
  const answer = asked(flunders, { signal: leaving.signal });
  await expect.poll(() => extension.seen.length).toBe(1);
  leaving.abort();
  expect(await answer).toEqual([503, "error trying to reach service: context canceled\n"]);
  await gone.promise;
  expect((await asked(`${flunders}?timeout=100ms`))[0]).toBe(504);
});

test("a server that cuts the connection is no failure of this one", async () => {
  await register();
  extension.behaviours.set(flunders, (request) => void request.socket.destroy());
  expect(await asked(flunders)).toEqual([503, "error trying to reach service: EOF\n"]);
});

test("a server with more to tell of itself than can be read is served, and discovery goes on without it", async () => {
  extension.behaviours.set("/apis", (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(1024 * 1024, " ");
    const more = (): void => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", more);
    };
    more();
  });
  await register();
  expect((await asked(flunders))[0]).toBe(200);
  expect((await asked("/apis"))[1]).toContain("wardle.example.com");
});

test("an old server, which knows nothing of aggregated discovery, is in it", async () => {
  extension.behaviours.set("/apis", (_request, response) => void response.writeHead(406).end());
  await register();
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const [, text] = await asked("/apis", { headers: { accept } });
  const { items } = JSON.parse(text) as { items: readonly { metadata: { name: string } }[] };
  const kind = { group: "wardle.example.com", version: "v1", kind: "Flunder" };
  expect(items.find(({ metadata }) => metadata.name === "wardle.example.com")).toMatchObject({
    versions: [
      {
        freshness: "Current",
        resources: [
          {
            resource: "flunders",
            responseKind: kind,
            scope: "Namespaced",
            shortNames: ["fl"],
            subresources: [{ subresource: "status", responseKind: kind, verbs: ["get"] }],
          },
        ],
      },
    ],
  });
});

test.each([
  `${version}/../../../api/v1/secrets`,
  `${version}/%2e%2e/%2e%2e/api`,
  `${version}/namespaces/default/flunders/..%2F..%2Fsecrets`,
  `${version}/namespaces/default/flunders\\..\\..\\other\\flunders`,
])("a path that another server could read otherwise than this one goes nowhere: %s", async (path) => {
  await register();
  expect(await asked(path)).toEqual([404, "404 page not found\n"]);
  expect(extension.seen).toEqual([]);
});

test("a user whose name cannot be told speaks for nobody", async () => {
  await register();
  const { handle: ask } = server.api.doorFor({
    name: "jane\r\nX-Remote-User: root",
    groups: ["system:masters"],
  });
  const answer = await ask({ method: "GET", path: flunders, headers: {} });
  expect(answer.status).toBe(503);
  expect(extension.seen).toEqual([]);
});

test("an APIService that leads back to this server is never available, and asks it no more than once a look", async () => {
  const ca = await createAuthority({ name: "ca", ...options });
  const serving = await ca.issueServing({ name: "api", hosts: ["wardle.default.svc"] });
  let count = 0;
  const door = await listen(
    {
      doorFor: (user) => {
        const { handle: ask, upgrade } = server.api.doorFor(user);
        return { handle: (request) => (count++, ask(request)), upgrade };
      },
    },
    { host: "localhost", port: 0, serving, clientAuthority: ca.certificate, clock: realClock },
  );
  const spec = { service: { ...extensionService, port: door.port }, insecureSkipTLSVerify: true };
  await server.ask("POST", services, {
    metadata: { name: "v1.loop.example.com" },
    spec: { group: "loop.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, ...spec },
  });
  const status = async () => (await server.ask("GET", `${services}/v1.loop.example.com`)).body["status"];
  await expect
    .poll(status)
    .toMatchObject({ conditions: [{ status: "False", reason: "FailedDiscoveryCheck" }] });
  expect(count).toBeLessThan(20);
  await door.close();
});

test("what this server has of a group version is hidden as long as another serves it", async () => {
  const definition = {
    metadata: { name: "flunders.wardle.example.com" },
    spec: {
      group: "wardle.example.com",
      scope: "Namespaced",
      names: { plural: "flunders", kind: "Flunder" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };
  await register();
  await server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const isServed = () => server.api.registry.resource("wardle.example.com", "v1", "flunders") !== undefined;
  await expect.poll(isServed).toBe(true);
  await asked(flunders);
  expect(extension.seen).toHaveLength(1);
  await server.ask("DELETE", `${services}/v1.wardle.example.com`);
  expect(JSON.parse((await asked(flunders))[1])).toMatchObject({ kind: "FlunderList", items: [] });
  expect(extension.seen).toHaveLength(1);
});

test("an APIService of this server's own that was led elsewhere is its own again after a start", async () => {
  const path = `${services}/v1.apps`;
  const { store } = server;
  const service = { ...extensionService, port: extension.port };
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const patched = await server.ask("PATCH", path, { spec: { service, insecureSkipTLSVerify: true } }, merge);
  expect(patched.status).toBe(200);
  await server.api.close();
  const again = await startServer({ clock: realClock, store });
  const { body } = await again.ask("GET", path);
  expect(body["spec"]).toEqual({
    group: "apps",
    version: "v1",
    groupPriorityMinimum: 17_800,
    versionPriority: 15,
  });
  expect(body["status"]).toMatchObject({ conditions: [{ reason: "Local", status: "True" }] });
  expect((await again.ask("GET", "/apis/apps/v1/deployments")).status).toBe(200);
  await again.api.close();
});

test("a connection may become another, of which only its ends know", async () => {
  await register();
  const ca = await createAuthority({ name: "ca", ...options });
  const serving = await ca.issueServing({ name: "api", hosts: ["localhost"] });
  const client = await ca.issueClient({ user: "jane", groups: ["system:masters"] });
  const door = await listen(server.api, {
    host: "localhost",
    port: 0,
    serving,
    clientAuthority: ca.certificate,
    clock: realClock,
  });
  const socket = connect({
    host: "localhost",
    port: door.port,
    ca: ca.certificate,
    cert: client.certificate,
    key: client.key,
    ALPNProtocols: ["http/1.1"],
  });
  await once(socket, "secureConnect");
  const head = [
    `GET ${flunders}/a/echo HTTP/1.1`,
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: shout/1",
    "X-Remote-User: root",
  ];
  let heard = "";
  socket.on("data", (piece: Buffer) => (heard += piece.toString("latin1")));
  socket.write(`${head.join("\r\n")}\r\n\r\nhello`);
  await expect.poll(() => heard).toMatch(/hello$/u);
  expect(heard).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/u);
  expect(heard).toContain("Upgrade: shout/1\r\nX-Own: yes\r\n");
  expect(extension.seen[0]?.headers).toMatchObject({ upgrade: "shout/1", "x-remote-user": "jane" });
  socket.write("again");
  await expect.poll(() => heard).toMatch(/\r\n\r\nhelloagain$/u);
  socket.destroy();
  await door.close();
});

test.each(["h2c", "HTTP/2.0", "TLS/1.0, HTTP/1.1"])(
  "a connection that speaks for users is never handed out: an upgrade to %s is refused",
  async (protocol) => {
    await register();
    const { upgrade } = server.api.doorFor({ name: "jane", groups: ["system:masters"] });
    const headers = { connection: "Upgrade", upgrade: protocol };
    const answer = await upgrade({ method: "GET", path: flunders, headers, protocols: [] });
    expect(answer).toMatchObject({ status: 400 });
    expect(extension.seen).toEqual([]);
  },
);

test("headers of an answer are the bytes that were sent, but for those of its connection", async () => {
  await register();
  extension.behaviours.set(flunders, (_request, response) => {
    const own = Buffer.from("süß").toString("latin1");
    response
      .writeHead(200, { "x-own": own, "http2-settings": "x", "access-control-allow-origin": "*" })
      .end();
  });
  const { headers } = await handle(flunders);
  expect(headers).toMatchObject({ "x-own": "süß" });
  expect(Object.keys(headers)).not.toContain("http2-settings");
  expect(Object.keys(headers)).not.toContain("access-control-allow-origin");
});

test("what is asked without its body keeps no seat", async () => {
  await register();
  const [flows, rbac] = ["/apis/flowcontrol.apiserver.k8s.io/v1", "/apis/rbac.authorization.k8s.io/v1"];
  const mary = { kind: "User", user: { name: "mary" } };
  const shares = { nominalConcurrencyShares: 0, borrowingLimitPercent: 0 };
  await server.ask("POST", `${flows}/prioritylevelconfigurations`, levelObject("one", shares));
  await server.ask(
    "POST",
    `${flows}/flowschemas`,
    schemaObject("one", "one", { rules: [everythingOf(mary)] }),
  );
  const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "all" };
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "mary" }];
  await server.ask("POST", `${rbac}/clusterroles`, { metadata: { name: "all" }, rules });
  await server.ask("POST", `${rbac}/clusterrolebindings`, { metadata: { name: "all" }, roleRef, subjects });
  const { handle: ask } = server.api.doorFor({ name: "mary", groups: ["system:authenticated"] });
  const head = async (): Promise<number> =>
    (await ask({ method: "HEAD", path: flunders, headers: {} })).status;
  expect([await head(), await head(), await head()]).toEqual([200, 200, 200]);
});

test("a server that goes on talking instead of switching protocols is cut off", async () => {
  await register();
  const { upgrade } = server.api.doorFor({ name: "jane", groups: ["system:masters"] });
  const headers = { connection: "Upgrade", upgrade: "shout/1" };
  const ask = () => upgrade({ method: "GET", path: flunders, headers, protocols: [] });
  extension.behaviours.set(flunders, (_request, response) => void response.writeHead(403).end("no"));
  expect(await ask()).toMatchObject({ status: 403, body: { bytes: Buffer.from("no") } });
  const gone = Promise.withResolvers<unknown>();
  extension.behaviours.set(flunders, (_request, response) => {
    response.once("close", gone.resolve);
    response.writeHead(200).write(Buffer.alloc(2 * 1024 * 1024));
  });
  expect(await ask()).toMatchObject({ status: 503 });
  await gone.promise;
});

test("nobody else serves the APIServices themselves", async () => {
  const name = "v1.apiregistration.k8s.io";
  const service = { ...extensionService, port: extension.port };
  const spec = {
    group: "apiregistration.k8s.io",
    version: "v1",
    groupPriorityMinimum: 1,
    versionPriority: 1,
  };
  await server.ask("POST", services, { metadata: { name }, spec: { ...spec, service } });
  expect((await server.ask("DELETE", `${services}/${name}`)).status).toBe(200);
});

test("of what another server says that it serves, all clients are told only what discovery knows", async () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const resource = `{"resource":"flunders","scope":7,"verbs":["get",1],"shortNames":"fl","own":${deep}}`;
  const versions = `[{"version":"v1","resources":[${resource},3]}]`;
  const items = `[{"metadata":{"name":"wardle.example.com"},"versions":${versions}}]`;
  extension.behaviours.set("/apis", (_request, response) => {
    response.writeHead(200).end(`{"kind":"APIGroupDiscoveryList","items":${items}}`);
  });
  await register();
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const [status, text] = await asked("/apis", { headers: { accept } });
  expect(status).toBe(200);
  const told = {
    resource: "flunders",
    scope: "Cluster",
    singularResource: "",
    verbs: ["get"],
    shortNames: [],
  };
  expect(JSON.parse(text)).toMatchObject({
    items: expect.arrayContaining([
      {
        metadata: { name: "wardle.example.com" },
        versions: [expect.objectContaining({ resources: [told] })],
      },
    ]) as unknown,
  });
});
