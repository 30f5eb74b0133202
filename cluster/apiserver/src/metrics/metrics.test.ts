import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";
import { expositionText } from "./exposition.ts";
import { RequestMetrics } from "./request-metrics.ts";

const maps = "/api/v1/namespaces/default/configmaps";

async function metricsOf(server: Awaited<ReturnType<typeof startServer>>): Promise<string> {
  const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
  const { status, headers, body } = await handle({ method: "GET", path: "/metrics", headers: {} });
  expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

it("counts requests under Kubernetes' names, and objects", async () => {
  await using server = await startServer();
  await server.ask("POST", maps, { metadata: { name: "a" } });
  await server.ask("POST", `${maps}?dryRun=All`, { metadata: { name: "b" } });
  await server.ask("GET", `${maps}/nothing`);
  await server.ask("PATCH", `${maps}/a?fieldManager=x`, "apiVersion: v1\nkind: ConfigMap\n", {
    headers: { "content-type": "application/apply-patch+yaml" },
  });
  const text = await metricsOf(server);
  const counted = (code: number, dryRun: string, verb: string) =>
    `apiserver_request_total{code="${code}",component="apiserver",dry_run="${dryRun}",group="",resource="configmaps",scope="resource",subresource="",verb="${verb}",version="v1"} 1\n`;
  expect(text).toContain(counted(201, "", "POST"));
  expect(text).toContain(counted(201, "All", "POST"));
  expect(text).toContain(counted(404, "", "GET"));
  expect(text).toContain(counted(200, "", "APPLY"));
  expect(text).toContain('apiserver_resource_objects{group="",resource="configmaps"} 1\n');
  expect(text).toContain('apiserver_storage_objects{resource="leases.coordination.k8s.io"} 0\n');
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "kubernetes_build_info"])
    expect(text).toMatch(new RegExp(`^${name}(?:\\{.*\\})? [\\d.]+$`, "mu"));
});

it("tells them only to those who may read them", async () => {
  await using server = await startServer({ defaultRoles: true });
  const ask = async (groups: readonly string[]): Promise<number> => {
    const { handle } = server.api.doorFor({ name: "jane", groups });
    return (await handle({ method: "GET", path: "/metrics", headers: {} })).status;
  };
  expect(await ask(["system:authenticated"])).toBe(403);
  expect(await ask(["system:authenticated", "system:monitoring"])).toBe(200);
});

it("keeps no name that a stranger makes up", async () => {
  await using server = await startServer();
  const { handle } = server.api.doorFor({ name: "admin", groups: ["system:masters"] });
  for (let index = 0; index < 50; index++) {
    await handle({ method: "GET", path: `/apis/made-up-${index}/v1/things`, headers: {} });
    await handle({ method: `MADE${index}`, path: `/api/v1/pods/a/made-up-${index}`, headers: {} });
  }
  expect(await metricsOf(server)).not.toMatch(/made-up|MADE/u);
});

it("tells how long requests take, in buckets that include the smaller ones", () => {
  const clock = new VirtualClock();
  const metrics = new RequestMetrics(clock);
  const labels = {
    verb: "GET",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    scope: "resource",
    dryRun: "",
  } as const;
  metrics.begin("GET")(labels, 200);
  const text = expositionText(metrics.families());
  expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{.*le="0.005"\} 1\n/u);
  expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{.*le="\+Inf"\} 1\n/u);
  expect(text).toMatch(/apiserver_request_duration_seconds_count\{.*\} 1\n/u);
});
