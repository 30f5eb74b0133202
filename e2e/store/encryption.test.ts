import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";

const small = ["--runtime", "simulated", "--no-sample", "--no-operators"];
const hidden = "c29tZXRoaW5nIHRoYXQgbm9ib2R5IG1heSByZWFk";

function configOf(...keys: readonly string[]): string {
  const list = keys.map((name) => `{name: ${name}, secret: ${Buffer.alloc(32, name).toString("base64")}}`);
  return [
    "apiVersion: apiserver.config.k8s.io/v1",
    "kind: EncryptionConfiguration",
    "resources:",
    `- {resources: [secrets], providers: [{aesgcm: {keys: [${list.join(", ")}]}}, {identity: {}}]}`,
  ].join("\n");
}

it("a cluster with a key has no secret in its files, and does not start without the key", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "kedge-keys-")), "keys.yaml");
  writeFileSync(file, configOf("one"), { mode: 0o600 });
  await using cluster = await upCluster({ flags: [...small, "--encryption-provider-config", file] });
  const secrets = cluster.client.of(Secret);
  const key = { namespace: "default", name: "hidden" };
  await secrets.create({ metadata: key, data: { password: hidden } });
  await cluster.down();
  const store = join(cluster.dir, "store");
  const files = readdirSync(store).map((name) => readFileSync(join(store, name)));
  const isThere = (text: string): boolean => files.some((bytes) => bytes.includes(text));
  expect([isThere(hidden), isThere("k8s:enc:aesgcm:v1:one:")]).toEqual([false, true]);

  writeFileSync(file, configOf("two"));
  const without = await cluster.cli("up", "--detach", ...small);
  expect(without.code).toBe(1);
  expect(`${without.stdout}${without.stderr}`).toMatch(/is encrypted by aesgcm with the key "one", which/u);
  chmodSync(file, 0o644);
  const open = await cluster.cli("up", "--detach", ...small);
  expect(`${open.stdout}${open.stderr}`).toContain(`chmod 600 ${file}`);
  chmodSync(file, 0o600);

  writeFileSync(file, configOf("two", "one"));
  await cluster.up(...small);
  expect((await secrets.get(key)).data).toEqual({ password: hidden });
});

it("a cluster with an audit policy tells who has asked for what", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "kedge-audit-")), "policy.yaml");
  writeFileSync(file, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
  await using cluster = await upCluster({ flags: [...small, "--audit-policy-file", file] });
  await cluster.client
    .of(Secret)
    .create({ metadata: { namespace: "default", name: "seen" }, data: { password: hidden } });
  await cluster.down();
  const told = readFileSync(join(cluster.dir, "audit", "audit.log"), "utf8");
  expect(told).toContain('"verb":"create"');
  expect([told.includes("secrets"), told.includes(hidden)]).toEqual([true, false]);
});
