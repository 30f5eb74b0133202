import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";

const node = { name: "system:node:n1", groups: ["system:nodes"] };
const secret = "/api/v1/namespaces/default/secrets/s";
const pods = "/api/v1/namespaces/default/pods";

function pod(name: string, spec: object): object {
  const volumes = [{ name: "v", secret: { secretName: "s" } }];
  const more = { automountServiceAccountToken: false, containers: [{ name: "c", image: "c" }] };
  return { metadata: { name }, spec: { ...more, volumes, ...spec } };
}

async function start(store?: TestServer["store"]): Promise<TestServer> {
  const server = await startServer(store === undefined ? {} : { store });
  await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  await server.ask("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" } });
  return server;
}

async function status(server: TestServer, path: string): Promise<number> {
  return (await server.api.doorFor(node).handle({ method: "GET", path, headers: {} })).status;
}

it("a node sees a secret from the binding of the first pod that needs it to the end of the last", async () => {
  await using server = await start();
  await server.ask("POST", pods, pod("a", {}));
  expect(await status(server, secret)).toBe(403);
  await server.ask("POST", `${pods}/a/binding`, { metadata: { name: "a" }, target: { name: "n1" } });
  expect(await status(server, secret)).toBe(200);
  await server.ask("POST", pods, pod("b", { nodeName: "n1" }));
  await server.ask("DELETE", `${pods}/a?gracePeriodSeconds=0`);
  expect(await status(server, secret)).toBe(200);
  expect(await status(server, `${pods}/a`)).toBe(403);
  await server.ask("DELETE", `${pods}/b?gracePeriodSeconds=0`);
  expect(await status(server, secret)).toBe(403);
});

it("a node sees nothing of the pods of others", async () => {
  await using server = await start();
  await server.ask("POST", pods, pod("a", { nodeName: "n2" }));
  expect(await status(server, secret)).toBe(403);
  expect(await status(server, `${pods}/a`)).toBe(403);
  expect(await status(server, `${pods}?fieldSelector=spec.nodeName%3Dn2`)).toBe(403);
  expect(await status(server, `${pods}?fieldSelector=spec.nodeName%3Dn1`)).toBe(200);
});

it("a node sees what it saw before the server was started again", async () => {
  const first = await start();
  await first.ask("POST", pods, pod("a", { nodeName: "n1" }));
  await first.api.close();
  await using second = await start(first.store);
  expect(await status(second, secret)).toBe(200);
});

const projected = (source: object) => ({ volumes: [{ name: "v", projected: { sources: [source] } }] });

it.each([
  ["secrets", { volumes: [{ name: "v", secret: { secretName: "s" } }] }],
  ["secrets", { imagePullSecrets: [{ name: "s" }] }],
  ["secrets", projected({ secret: { name: "s" } })],
  ["configmaps", { containers: [{ name: "c", image: "c", envFrom: [{ configMapRef: { name: "m" } }] }] }],
  ["persistentvolumeclaims", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "p" } }] }],
  ["resourceclaims", { resourceClaims: [{ name: "r", resourceClaimName: "r" }] }],
  ["a service account", { serviceAccountName: "default" }],
  ["a service account", { serviceAccount: "default" }],
  ["service account tokens", projected({ serviceAccountToken: { path: "token" } })],
])("a node creates no mirror pod that refers to %s, by %j", async (referred, spec) => {
  await using server = await start();
  const { body: own } = await server.ask("POST", "/api/v1/nodes", { metadata: { name: "n1" } });
  const { uid } = own.metadata ?? {};
  const create = async (name: string, more: object) => {
    const annotations = { "kubernetes.io/config.mirror": "a" };
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n1", uid, controller: true }];
    const containers = [{ name: "c", image: "c" }];
    const sent = {
      metadata: { name, annotations, ownerReferences },
      spec: { nodeName: "n1", containers, ...more },
    };
    const headers = { "content-type": "application/json" };
    const { handle } = server.api.doorFor(node);
    return await handle({ method: "POST", path: pods, headers, body: JSON.stringify(sent) });
  };
  const answer = await create("a", spec);
  expect([answer.status, JSON.parse(await text(Readable.from(answer.body)))]).toMatchObject([
    403,
    { message: `pods "a" is forbidden: node "n1" can not create pods that reference ${referred}` },
  ]);
  expect(await status(server, secret)).toBe(403);
  expect((await create("b", { volumes: [{ name: "v", hostPath: { path: "/etc" } }] })).status).toBe(201);
});
