import { ConfigMap, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { prometheusRuleOf } from "@kedge/redis-operator";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { containerProcess } from "./faults/server-process.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import { until } from "./testing/until.ts";

const at = { namespace: "default", name: "cache" };

/** Connects anew all the time, and writes. */
function keepConnecting(to: { readonly host: string; readonly port: number; readonly password: string }): {
  stop(): Promise<{ readonly connections: number; readonly failures: readonly string[] }>;
} {
  const stopping = new AbortController();
  const failures: string[] = [];
  let connections = 0;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const client = new Redis({ ...to, retryStrategy: null });
      client.on("error", (error) => failures.push(String(error)));
      await client
        .set("written", String(connections))
        .catch((error: unknown) => failures.push(String(error)));
      client.disconnect();
      connections++;
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      return { connections, failures };
    },
  };
}

it(
  "an exporter tells all that alerts and dashboard ask for; killed again and again, it takes nobody from the primary",
  needs(whyNoContainers()),
  async ({ annotate }) => {
    await using cluster = await upCluster({ flags: ["--no-sample"] });
    const instance = await makeInstance(cluster, "cache", {
      replicas: 2,
      metrics: { enabled: true },
      resources: { limits: { memory: "128Mi" } },
    });
    const labelSelector = "redis.github.com/exporter-of=cache";
    const texts = await until("both exporters answer", async () => {
      const { items } = await cluster.client.of(Pod).list({ namespace: "default", labelSelector }).all();
      const said = await Promise.all(
        items.map(async ({ status }) => (await fetch(`http://${status?.podIP}:9121/metrics`)).text()),
      );
      return said.length === 2 && said.every((text) => text.includes("redis_up 1")) ? said : undefined;
    });
    const all = texts.join("\n");
    const { data } = await cluster.client
      .of(ConfigMap)
      .get({ namespace: "default", name: "cache-dashboard" });
    const rules = prometheusRuleOf({ namespace: "default", name: "cache" }, { labels: {}, replicas: 2 });
    const asked = `${Object.values(data ?? {}).join("")}${JSON.stringify(rules)}`;
    const names = new Set([...asked.matchAll(/\b(redis_[a-z_]+)\{/gu)].map(([, name = ""]) => name));
    expect(names.size).toBeGreaterThan(12);
    expect([...names].filter((name) => !all.includes(`\n${name}`))).toEqual([]);
    // As a user that may only look: nothing was refused to it.
    expect(all).toMatch(/redis_exporter_last_scrape_error\{err=""\} 0/u);
    expect(all).toContain('role="master"');
    // What its user may not ask: the server has written it down.
    const password = async (key: string): Promise<string> => {
      const { data: secret } = await cluster.client.of(Secret).get({ ...at, name: "cache.system" });
      return Buffer.from(secret?.[key] ?? "", "base64").toString();
    };
    const old = await password("exporter");
    const { host, port, password: client = "" } = await instance.route();
    const clients = keepConnecting({ host, port, password: client });
    const exporters = async () =>
      (await cluster.client.of(Pod).list({ namespace: at.namespace, labelSelector }).all()).items;
    const killed = async ({ metadata, status }: Pod): Promise<void> => {
      const { name } = metadata;
      const before = status?.containerStatuses?.[0]?.restartCount ?? 0;
      // A container is counted when it is made, a moment before its process runs.
      const pid = await until(`the exporter of ${name} runs`, () =>
        containerProcess(cluster.dir, name, "exporter"),
      );
      process.kill(pid, "SIGKILL");
      await until(`${name} was restarted`, async () => {
        const found = (await exporters()).find((one) => one.metadata.name === name);
        return (found?.status?.containerStatuses?.[0]?.restartCount ?? 0) > before;
      });
    };
    for (let times = 0; times < 3; times++) await Promise.all((await exporters()).map(killed));
    const { code } = await cluster.cli("redis", "rotate-password", "cache", "--system");
    expect(code).toBe(0);
    await until("exporters have another password", async () => (await password("exporter")) !== old);
    await until("all exporters tell again, with another password", async () => {
      const said = await Promise.all(
        (await exporters()).map(async ({ status }) =>
          (await fetch(`http://${status?.podIP}:9121/metrics`)).text(),
        ),
      );
      return said.length === 2 && said.every((text) => text.includes("redis_up 1"));
    });
    const { connections, failures } = await clients.stop();
    await annotate(`${connections} connections`, "count");
    expect(failures).toEqual([]);
  },
);
