import type { JsonObject } from "@kedge/machinery";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NodeStats } from "../../node-proxy/index.ts";
import { startServer, type TestServer } from "../../testing/start-server.ts";

const metrics = "/apis/metrics.k8s.io/v1beta1";
const core = "/api/v1";

const used = (usageNanoCores: number, workingSetBytes: number): JsonObject => ({
  cpu: { time: "2026-01-01T00:00:10Z", usageNanoCores, windowMilliseconds: 10_000 },
  memory: { time: "2026-01-01T00:00:10Z", workingSetBytes },
});

describe("metrics.k8s.io", () => {
  let server: TestServer;
  const asked: string[] = [];
  const summaries = new Map<string, JsonObject>();
  const nodeStats: NodeStats = ({ host }) => {
    asked.push(host);
    return Promise.resolve(summaries.get(host));
  };
  beforeAll(async () => {
    server = await startServer({ nodeStats });
    await server.ask("POST", `${core}/namespaces`, { metadata: { name: "other" } });
    for (const namespace of ["default", "other"])
      await server.ask("POST", `${core}/namespaces/${namespace}/serviceaccounts`, {
        metadata: { name: "default" },
      });
    for (const [name, address] of [
      ["one", "192.0.2.1"],
      ["two", "192.0.2.2"],
    ]) {
      await server.ask("POST", `${core}/nodes`, { metadata: { name, labels: { disk: "fast" } } });
      const status = { addresses: [{ type: "InternalIP", address }] };
      await server.ask(
        "PATCH",
        `${core}/nodes/${name}/status`,
        { status },
        {
          headers: { "content-type": "application/merge-patch+json" },
        },
      );
    }
    const podOn = async (namespace: string, name: string, nodeName: string): Promise<JsonObject> => {
      const containers = [{ name: "app", image: "app:1" }];
      const metadata = { name, labels: { app: name } };
      const { body } = await server.ask("POST", `${core}/namespaces/${namespace}/pods`, {
        metadata,
        spec: { nodeName, containers },
      });
      const uid = String(body.metadata["uid"]);
      return {
        podRef: { name, namespace, uid },
        ...used(250_000_000, 5 * 1024 * 1024),
        containers: [{ name: "app", ...used(250_000_000, 5 * 1024 * 1024) }],
      };
    };
    summaries.set("192.0.2.1", {
      node: used(1_500_000_000, 1024 ** 3),
      pods: [await podOn("default", "web", "one"), await podOn("other", "db", "one")],
    });
    // This one does not answer.
    await podOn("default", "lost", "two");
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("may be taken over by a metrics server of the cluster's own, as the groups of every cluster may not", async () => {
    const labels = async (name: string) => {
      const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
      return (await server.ask("GET", path)).body.metadata["labels"];
    };
    expect(await labels("v1beta1.metrics.k8s.io")).toBeUndefined();
    // One of its kinds is computed, too.
    expect(await labels("v1.")).toEqual({ "kube-aggregator.kubernetes.io/automanaged": "onstart" });
  });

  it("tells of the nodes that answer", async () => {
    const { status, body } = await server.ask("GET", `${metrics}/nodes`);
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: "NodeMetricsList",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: {},
      items: [
        {
          metadata: { name: "one", labels: expect.objectContaining({ disk: "fast" }) as unknown },
          timestamp: "2026-01-01T00:00:10Z",
          window: "10s",
          usage: { cpu: "1500m", memory: "1048576Ki" },
        },
      ],
    });
  });

  it("tells of one pod, and asks only its node", async () => {
    asked.length = 0;
    const { body } = await server.ask("GET", `${metrics}/namespaces/other/pods/db`);
    expect(body).toEqual({
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: { name: "db", namespace: "other", labels: { app: "db" } },
      timestamp: "2026-01-01T00:00:10Z",
      window: "10s",
      containers: [{ name: "app", usage: { cpu: "250m", memory: "5120Ki" } }],
    });
    expect(asked).toEqual(["192.0.2.1"]);
  });

  it.each([
    ["all", `${metrics}/pods`, ["db", "web"]],
    ["those of a namespace", `${metrics}/namespaces/default/pods`, ["web"]],
    ["those of a label", `${metrics}/pods?labelSelector=app%3Ddb`, ["db"]],
    ["those of a name", `${metrics}/pods?fieldSelector=metadata.name%3Dweb`, ["web"]],
  ])("lists pods: %s", async (_title, path, names) => {
    const { body } = await server.ask("GET", path);
    const items = body["items"] as { metadata: { name: string } }[];
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
  });

  it("shows a table", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await server.ask("GET", `${metrics}/namespaces/default/pods`, undefined, {
      headers: { accept },
    });
    expect(body["rows"]).toMatchObject([{ cells: ["web", "250m", "5Mi", "10s"] }]);
  });

  it.each([
    ["a pod of a node that does not answer", "GET", `${metrics}/namespaces/default/pods/lost`, 404],
    ["a pod that is not there", "GET", `${metrics}/namespaces/default/pods/none`, 404],
    ["a watch", "GET", `${metrics}/nodes?watch=true`, 405],
    ["a deletion", "DELETE", `${metrics}/nodes/one`, 405],
    ["another resource", "GET", `${metrics}/others`, 404],
  ])("refuses %s", async (_title, method, path, code) => {
    expect((await server.ask(method, path)).status).toBe(code);
  });
});
