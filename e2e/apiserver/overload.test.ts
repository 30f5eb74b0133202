import { createApiServer } from "@kedge/apiserver";
import { realClock, realRandom, type ApiHandler, type ApiResponse } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { expect, it } from "vitest";

const objects = 10_000;
const lists = 1000;
const maps = "/api/v1/namespaces/default/configmaps";
const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

it("one client with a thousand long lists at once keeps neither probes, nor leases, nor the admin waiting", async () => {
  const store = createMemoryStore({ clock: realClock });
  const server = createApiServer({ store, clock: realClock, random: realRandom });
  await server.start();
  const doorOf = (name: string, ...groups: readonly string[]): ApiHandler =>
    server.doorFor({ name, groups: [...groups, "system:authenticated"] }).handle;
  const admin = doorOf("admin", "system:masters");
  const noisy = doorOf("noisy");
  const leader = doorOf("system:kube-controller-manager");
  const post = (handle: ApiHandler, path: string, body: object) =>
    handle({
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "noisy" }];
  const binding = { metadata: { name: "noisy" }, roleRef, subjects };
  expect((await post(admin, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)).status).toBe(
    201,
  );
  const name = "kube-controller-manager";
  expect((await post(leader, lease, { metadata: { name } })).status).toBe(201);
  for (let i = 0; i < objects; i += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, at) =>
        post(admin, maps, { metadata: { name: `m-${i + at}` }, data: { text: "x".repeat(200) } }),
      ),
    );

  const running = new AbortController();
  const counts = { 200: 0, 429: 0, other: 0 };
  const noise = Promise.all(
    Array.from({ length: lists }, async () => {
      const { status, headers, body } = await noisy({ method: "GET", path: maps, headers: {} });
      if (status === 429 && !(Number(headers["retry-after"]) >= 1))
        throw new Error("a 429 does not say when to come again");
      for await (const _ of body) if (running.signal.aborted) break;
      if (status === 200 || status === 429) counts[status]++;
      else counts.other++;
    }),
  );
  const renew = async (): Promise<ApiResponse> => {
    const path = `${lease}/${name}`;
    const { body } = await leader({ method: "GET", path, headers: {} });
    const found = JSON.parse(Buffer.concat(await Array.fromAsync(body)).toString()) as { metadata: object };
    const headers = { "content-type": "application/json" };
    const renewed = { ...found, spec: { holderIdentity: "me" } };
    return await leader({ method: "PUT", path, headers, body: JSON.stringify(renewed) });
  };
  const asks = {
    health: () => doorOf("probe")({ method: "GET", path: "/healthz", headers: {} }),
    lease: renew,
    admin: () => admin({ method: "GET", path: `${maps}/m-1`, headers: {} }),
  };
  const times = { health: new Array<number>(), lease: new Array<number>(), admin: new Array<number>() };
  // As long as it takes to answer some of them: what is measured is measured under load.
  while (counts[200] < 20) {
    for (const what of ["health", "lease", "admin"] as const) times[what].push(await latency(asks[what]));
    await realClock.sleep(20);
  }
  const during = { ...counts };
  running.abort();
  await noise;
  await server.close();
  await store.close();
  const figures = Object.fromEntries(Object.entries(times).map(([what, all]) => [what, summary(all)]));
  // The figures, for whoever runs this to know them.
  process.stdout.write(`${JSON.stringify({ during, counts, figures })}\n`);
  expect(during[200]).toBeLessThan(counts[200]);
  // Those that found neither a seat nor room in a queue.
  expect(counts[429]).toBeGreaterThan(lists / 2);
  expect(counts.other).toBe(0);
  for (const { p90 } of Object.values(figures)) expect(p90).toBeLessThan(2000);
});

/** How long a request takes, in milliseconds. */
async function latency(act: () => Promise<ApiResponse>): Promise<number> {
  const start = realClock.monotonic();
  const { status, body } = await act();
  for await (const _ of body) continue;
  expect(status).toBe(200);
  return realClock.monotonic() - start;
}

function summary(times: readonly number[]): {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly worst: number;
} {
  const sorted = times.toSorted((a, b) => a - b).map(Math.round);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { count: times.length, p50: at(0.5), p90: at(0.9), worst: sorted.at(-1) ?? 0 };
}
