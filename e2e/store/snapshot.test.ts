import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";

const small = ["--runtime", "simulated", "--no-sample", "--no-operators"];

it("a cluster is saved while it is written to, and goes on from there", async () => {
  await using cluster = await upCluster({ flags: small });
  const maps = cluster.client.of(ConfigMap);
  const create = (name: string) => maps.create({ metadata: { namespace: "default", name } });
  const before = await Promise.all(Array.from({ length: 50 }, (_, i) => create(`before-${i}`)));
  const file = join(cluster.dir, "..", "backup.db");
  const saving = new AbortController();
  const during = (async () => {
    for (let i = 0; !saving.signal.aborted; i++) await create(`during-${i}`);
  })();
  const saved = await cluster.cli("snapshot", "save", file);
  saving.abort();
  await during;
  expect(saved.stderr).toBe("");
  expect(saved.stdout).toMatch(/^Saved .*backup\.db: revision \d+, \d+ objects, checksum [0-9a-f]{16}\n$/u);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await cluster.cli("snapshot", "save", file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);

  const running = await cluster.cli("snapshot", "restore", file);
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("a cluster already runs in")]);
  await create("after");
  await cluster.down();
  const over = await cluster.cli("snapshot", "restore", file);
  expect([over.code, over.stderr]).toEqual([1, expect.stringContaining("has a store already")]);

  renameSync(join(cluster.dir, "store"), join(cluster.dir, "..", "store.old"));
  const bytes = readFileSync(file);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  const bad = join(cluster.dir, "..", "bad.db");
  writeFileSync(bad, bytes);
  const damaged = await cluster.cli("snapshot", "restore", bad);
  expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining("the snapshot is damaged")]);

  expect((await cluster.cli("snapshot", "restore", file)).code).toBe(0);
  await cluster.up(...small);
  const names = (await maps.list({ namespace: "default" }).all()).items.map(({ metadata }) => metadata.name);
  expect(before.filter(({ metadata }) => !names.includes(metadata.name))).toEqual([]);
  expect(names).not.toContain("after");
  const kept = await maps.get({ namespace: "default", name: "before-0" });
  expect(kept.metadata.resourceVersion).toBe(before[0]?.metadata.resourceVersion);
  const next = await create("next");
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(1_000_000_000);
});
