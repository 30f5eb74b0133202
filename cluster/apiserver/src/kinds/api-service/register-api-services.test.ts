import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { expect, test } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(group: string): object {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

async function uidOf(server: TestServer, name: string): Promise<unknown> {
  return (await server.ask("GET", `${services}/${name}`)).body.metadata?.["uid"];
}

test("a start leaves the APIServices of definitions as they are, and removes those that nothing defines", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const first = await startServer({ clock, store });
  for (const group of ["a.example.com", "b.example.com"])
    await first.ask("POST", definitions, definition(group));
  await expect.poll(() => uidOf(first, "v1.a.example.com")).toBeDefined();
  await expect.poll(() => uidOf(first, "v1.b.example.com")).toBeDefined();
  const left = {
    metadata: { name: "v1.c.example.com", labels: { "kube-aggregator.kubernetes.io/automanaged": "true" } },
    spec: { group: "c.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
  };
  expect((await first.ask("POST", services, left)).status).toBe(201);
  const { body } = await first.ask("GET", services);
  await first.api.close();

  await using second = await startServer({ clock, store });
  const since = `${services}?watch=true&resourceVersion=${body.metadata.resourceVersion}`;
  await expect.poll(() => uidOf(second, "v1.c.example.com")).toBeUndefined();
  await second.ask("DELETE", `${definitions}/things.b.example.com`);
  await expect.poll(() => uidOf(second, "v1.b.example.com")).toBeUndefined();
  const watch = await second.watch(since);
  const events: string[] = [];
  while (!events.includes("DELETED v1.b.example.com")) {
    const event = await watch.next();
    events.push(`${event?.type ?? ""} ${event?.object.metadata.name ?? ""}`);
  }
  await watch.close();
  expect(events.filter((event) => event.includes("example.com"))).toEqual([
    "DELETED v1.c.example.com",
    "DELETED v1.b.example.com",
  ]);
});
