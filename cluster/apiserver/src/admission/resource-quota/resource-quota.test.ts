import { expect, test } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";

const base = "/api/v1/namespaces/default";

async function limited(server: TestServer, name: string, hard: Record<string, string>): Promise<void> {
  await server.ask("POST", `${base}/resourcequotas`, { metadata: { name }, spec: { hard } });
  const nothing = Object.fromEntries(Object.keys(hard).map((resource) => [resource, "0"]));
  await server.ask(
    "PATCH",
    `${base}/resourcequotas/${name}/status`,
    { status: { hard, used: nothing } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
}

async function used(server: TestServer, name: string): Promise<unknown> {
  return (await server.ask("GET", `${base}/resourcequotas/${name}`)).body["status"];
}

test("of a hundred that come at once, as many pass as there is room for, and all are counted", async () => {
  await using server = await startServer();
  await limited(server, "few", { "count/configmaps": "30" });
  const names = Array.from({ length: 100 }, (_, i) => `m${i}`);
  const answers = await Promise.all(
    names.map((name) => server.ask("POST", `${base}/configmaps`, { metadata: { name } })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(30);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(70);
  expect(await used(server, "few")).toMatchObject({ used: { "count/configmaps": "30" } });
});

test("others who write the status meanwhile are seen: nothing is charged on what is old", async () => {
  await using server = await startServer();
  await limited(server, "busy", { "count/configmaps": "40" });
  const noise = Array.from({ length: 20 }, (_, i) =>
    server.ask(
      "PATCH",
      `${base}/resourcequotas/busy`,
      { metadata: { labels: { i: String(i) } } },
      { headers: { "content-type": "application/merge-patch+json" } },
    ),
  );
  const made = Array.from({ length: 20 }, (_, i) =>
    server.ask("POST", `${base}/configmaps`, { metadata: { name: `m${i}` } }),
  );
  await Promise.all(noise);
  const passed = (await Promise.all(made)).filter(({ status }) => status === 201).length;
  expect(await used(server, "busy")).toMatchObject({ used: { "count/configmaps": String(passed) } });
  expect(passed).toBeGreaterThan(0);
});

test("what one quota refuses is charged to none", async () => {
  await using server = await startServer();
  await limited(server, "a", { "count/configmaps": "9" });
  await limited(server, "b", { "count/configmaps": "0" });
  const answer = await server.ask("POST", `${base}/configmaps`, { metadata: { name: "m" } });
  expect(answer.body.message).toBe(
    'configmaps "m" is forbidden: exceeded quota: b, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
  );
  expect(await used(server, "a")).toMatchObject({ used: { "count/configmaps": "0" } });
});

test("a dry run is refused as the request would be, and charges nothing", async () => {
  await using server = await startServer();
  await limited(server, "a", { "count/configmaps": "1" });
  const dry = `${base}/configmaps?dryRun=All`;
  expect((await server.ask("POST", dry, { metadata: { name: "m" } })).status).toBe(201);
  expect(await used(server, "a")).toMatchObject({ used: { "count/configmaps": "0" } });
  await server.ask("POST", `${base}/configmaps`, { metadata: { name: "m" } });
  expect((await server.ask("POST", dry, { metadata: { name: "n" } })).status).toBe(403);
});

test("a service that becomes a load balancer is charged with what it needs more", async () => {
  await using server = await startServer();
  await limited(server, "s", { services: "1", "services.nodeports": "2", "services.loadbalancers": "0" });
  const ports = [
    { name: "a", port: 80 },
    { name: "b", port: 81 },
  ];
  const service = { metadata: { name: "s" }, spec: { ports } };
  expect((await server.ask("POST", `${base}/services`, service)).status).toBe(201);
  const patch = (type: string) =>
    server.ask(
      "PATCH",
      `${base}/services/s`,
      { spec: { type } },
      { headers: { "content-type": "application/merge-patch+json" } },
    );
  expect((await patch("NodePort")).status).toBe(200);
  expect(await used(server, "s")).toMatchObject({ used: { services: "1", "services.nodeports": "2" } });
  expect((await patch("LoadBalancer")).body.message).toBe(
    'services "s" is forbidden: exceeded quota: s, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
  );
});

test("two servers over one store never let more pass than there is room for", async () => {
  await using one = await startServer();
  await using other = await startServer({ store: one.store });
  await limited(one, "shared", { "count/configmaps": "20" });
  expect(await used(other, "shared")).toMatchObject({ used: { "count/configmaps": "0" } });
  const answers = await Promise.all(
    [one, other].flatMap((server, at) =>
      Array.from({ length: 30 }, (_, i) =>
        server.ask("POST", `${base}/configmaps`, { metadata: { name: `m${at}-${i}` } }),
      ),
    ),
  );
  const passed = answers.filter(({ status }) => status === 201).length;
  // Who was beaten to it too often is told so, and may try again.
  expect(answers.every(({ status }) => [201, 403, 409].includes(status))).toBe(true);
  expect(passed).toBeGreaterThan(0);
  expect(passed).toBeLessThanOrEqual(20);
  expect(await used(one, "shared")).toMatchObject({ used: { "count/configmaps": String(passed) } });
});
