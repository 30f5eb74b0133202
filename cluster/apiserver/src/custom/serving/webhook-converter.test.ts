import { isJsonObject, realClock, type JsonObject } from "@kedge/machinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type Answer, type TestServer } from "../../testing/start-server.ts";
import { startHookTarget, uidOf, type HookTarget } from "../../webhook-client/testing/hook-target.ts";

let server: TestServer;
let target: HookTarget;
/** How many objects each call of the webhook had. */
let calls: number[];

beforeEach(async () => {
  calls = [];
  target = await startHookTarget();
  target.behaviours.set("/convert", (response, review) => {
    const { apiVersion, kind, request } = review;
    const { objects, desiredAPIVersion } = isJsonObject(request) ? request : {};
    const list = Array.isArray(objects) ? objects.filter(isJsonObject) : [];
    calls.push(list.length);
    const convertedObjects = list.map((object) => converted(object, String(desiredAPIVersion)));
    const result = { status: "Success" };
    response.end(
      JSON.stringify({ apiVersion, kind, response: { uid: uidOf(review), result, convertedObjects } }),
    );
  });
  server = await startServer({ clock: realClock });
  const version = (name: string, field: string, storage: boolean): JsonObject => ({
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { [field]: { type: "integer" } } } },
      },
    },
  });
  await server.ask("POST", definitions, {
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [version("v1", "size", true), version("v2", "count", false)],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${target.url}/convert`, caBundle: target.authority },
        },
      },
    },
  });
  while (server.api.registry.resource("example.com", "v2", "things") === undefined) await realClock.sleep(5);
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Sizes of v1 are counts of v2. */
function converted({ spec, ...object }: JsonObject, apiVersion: string): JsonObject {
  const { size, count } = isJsonObject(spec) ? spec : {};
  const value = size ?? count;
  return { ...object, apiVersion, spec: apiVersion.endsWith("v1") ? { size: value } : { count: value } };
}

function things(version: string): string {
  return `/apis/example.com/${version}/namespaces/default/things`;
}

async function create(version: string, name: string, spec: JsonObject): Promise<Answer> {
  const body = { apiVersion: `example.com/${version}`, kind: "Thing", metadata: { name }, spec };
  return await server.ask("POST", things(version), body);
}

test("an object is read and written in every version", async () => {
  const made = await create("v2", "a", { count: 3 });
  expect(made.body).toMatchObject({ apiVersion: "example.com/v2", spec: { count: 3 } });
  expect((await server.ask("GET", `${things("v1")}/a`)).body).toMatchObject({ spec: { size: 3 } });
  const patched = await server.ask(
    "PATCH",
    `${things("v2")}/a`,
    { spec: { count: 4 } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  expect(patched.body).toMatchObject({ spec: { count: 4 }, metadata: { generation: 2 } });
  expect((await server.ask("GET", `${things("v1")}/a`)).body).toMatchObject({ spec: { size: 4 } });
  expect((await server.ask("DELETE", `${things("v2")}/a`)).status).toBe(200);
});

test("a list is converted in few calls, and once", async () => {
  for (let i = 0; i < 150; i++) await create("v1", `t-${i}`, { size: i });
  calls.length = 0;
  const listed = await server.ask("GET", things("v2"));
  expect(listed.body["items"]).toHaveLength(150);
  expect(listed.body["items"]).toContainEqual(expect.objectContaining({ spec: { count: 149 } }));
  expect(calls).toEqual([100, 50]);
  await server.ask("GET", things("v2"));
  expect(calls).toEqual([100, 50]);
});

test("a watch shows what came while an earlier event was converted", async () => {
  const watch = await server.watch(`${things("v2")}?watch=true`);
  const writing = Promise.all(Array.from({ length: 30 }, (_, i) => create("v1", `w-${i}`, { size: i })));
  const seen = new Set<unknown>();
  while (seen.size < 30) {
    const event = await watch.next();
    expect(event).toMatchObject({ type: "ADDED", object: { apiVersion: "example.com/v2" } });
    seen.add(event?.object.metadata.name);
  }
  await writing;
  await server.ask("DELETE", `${things("v1")}/w-0`);
  expect(await watch.next()).toMatchObject({ type: "DELETED", object: { spec: { count: 0 } } });
  await watch.close();
});

test("a webhook that is not there fails those who need it, and nobody else", async () => {
  await create("v1", "a", { size: 1 });
  target.behaviours.set("/convert", (response) => void response.writeHead(503).end());
  const { status, body } = await server.ask("GET", `${things("v2")}/a`);
  expect(status).toBe(500);
  expect(body.message).toContain("conversion webhook for example.com/v1, Kind=Thing failed: ");
  expect((await create("v2", "b", { count: 1 })).status).toBe(500);
  expect((await server.ask("GET", `${things("v1")}/a`)).status).toBe(200);
  expect((await server.ask("GET", `${things("v1")}/b`)).status).toBe(404);
  expect((await server.ask("DELETE", `${definitions}/things.example.com`)).status).toBe(200);
  while ((await server.ask("GET", `${definitions}/things.example.com`)).status !== 404)
    await realClock.sleep(5);
});
