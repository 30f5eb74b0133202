import { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import { prometheusRuleOf } from "@kedge/redis-operator";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { makeInstance } from "./subjects/redis-instance.ts";
import { until } from "./testing/until.ts";

it("an exporter tells all that alerts and dashboard ask for", needs(whyNoContainers()), async () => {
  await using cluster = await upCluster({ flags: ["--no-sample"] });
  await makeInstance(cluster, "cache", {
    replicas: 2,
    metrics: { enabled: true },
    resources: { limits: { memory: "128Mi" } },
  });
  const labelSelector = "redis.github.com/instance=cache";
  const texts = await until("both exporters answer", async () => {
    const { items } = await cluster.client.of(Pod).list({ namespace: "default", labelSelector }).all();
    const said = await Promise.all(
      items.map(async ({ status }) => (await fetch(`http://${status?.podIP}:9121/metrics`)).text()),
    );
    return said.length === 2 && said.every((text) => text.includes("redis_up 1")) ? said : undefined;
  });
  const all = texts.join("\n");
  const { data } = await cluster.client.of(ConfigMap).get({ namespace: "default", name: "cache-dashboard" });
  const rules = prometheusRuleOf({ namespace: "default", name: "cache" }, { labels: {}, replicas: 2 });
  const asked = `${Object.values(data ?? {}).join("")}${JSON.stringify(rules)}`;
  const names = new Set([...asked.matchAll(/\b(redis_[a-z_]+)\{/gu)].map(([, name = ""]) => name));
  expect(names.size).toBeGreaterThan(12);
  expect([...names].filter((name) => !all.includes(`\n${name}`))).toEqual([]);
  // As a user that may only look: nothing was refused to it.
  expect(all).toMatch(/redis_exporter_last_scrape_error\{err=""\} 0/u);
  expect(all).toContain('role="master"');
});
