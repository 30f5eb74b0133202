import { silentLogger } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { createServer } from "node:net";
import { once } from "node:events";
import { expect, it } from "vitest";
import { createHealthChecks, healthChecksOf } from "./health-checks.ts";

const port = await freePort();
const service = (spec: object): Service =>
  ({ metadata: { namespace: "default", name: "web" }, spec }) as unknown as Service;
const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: port };
const slice = {
  metadata: { namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: [
    { addresses: ["10.244.0.1"], nodeName: "a" },
    {
      addresses: ["10.244.0.2"],
      nodeName: "a",
      conditions: { ready: false, serving: true, terminating: true },
    },
    { addresses: ["10.244.1.1"], nodeName: "b" },
    { addresses: ["10.244.1.2"], nodeName: "b" },
  ],
} as unknown as EndpointSlice;

it("are for load balancers of services whose traffic stays on the node", () => {
  const counts = ["a", "b", "c"].map((node) => healthChecksOf([service(local)], [slice], node));
  expect(counts.map(([check]) => check?.endpoints)).toEqual([1, 2, 0]);
  expect(healthChecksOf([service({ ...local, externalTrafficPolicy: "Cluster" })], [slice], "a")).toEqual([]);
});

it("say how many endpoints the node has, in kube-proxy's words, until they are not wanted any more", async () => {
  const checks = createHealthChecks({ address: "127.0.0.1", logger: silentLogger });
  const url = `http://127.0.0.1:${port}/healthz`;
  const check = { namespace: "default", name: "web", port, endpoints: 2 };
  try {
    await checks.serve([check]);
    const up = await fetch(url);
    expect([up.status, up.headers.get("X-Load-Balancing-Endpoint-Weight")]).toEqual([200, "2"]);
    expect(await up.text()).toBe(
      '{\n\t"service": {\n\t\t"namespace": "default",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
    );
    await checks.serve([{ ...check, endpoints: 0 }]);
    const down = await fetch(url);
    expect([down.status, await down.json()]).toEqual([503, expect.objectContaining({ localEndpoints: 0 })]);
    await checks.serve([]);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  } finally {
    await checks.close();
  }
});

it("that cannot be opened are tried again with the next change", async () => {
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const checks = createHealthChecks({ address: "127.0.0.1", logger: silentLogger });
  const wanted = [{ namespace: "default", name: "web", port, endpoints: 1 }];
  try {
    await checks.serve(wanted);
    other.close();
    await once(other, "close");
    await checks.serve(wanted);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  } finally {
    await checks.close();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
