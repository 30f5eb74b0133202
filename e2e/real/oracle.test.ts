import { existsSync } from "node:fs";
import { ConfigMap, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startOracle } from "./oracle.ts";
import { goModules } from "./programs.ts";
import { remainsIn } from "./testing/remains.ts";
import { tempFolder } from "./testing/temp-folder.ts";
import { isOk, until } from "./wait.ts";

let folder: string;
beforeEach(async () => {
  folder = await tempFolder();
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => vi.unstubAllEnvs());

it("runs two side by side, each with its own objects, and leaves nothing of either", async () => {
  const [one, two] = await Promise.all([startOracle(), startOracle()]);
  expect(one.url).not.toBe(two.url);
  expect([one, two].map(({ processes }) => processes.map(({ name }) => name))).toEqual([
    ["etcd", "kube-apiserver"],
    ["etcd", "kube-apiserver"],
  ]);
  const key = { namespace: "default", name: "mine" };
  await one.admin.of(ConfigMap).create({ metadata: key, data: { a: "1" } });
  await expect(two.admin.of(ConfigMap).get(key)).rejects.toMatchObject({ status: { code: 404 } });

  await one.stop();
  expect(existsSync(one.folder)).toBe(false);
  expect(existsSync(two.folder)).toBe(true);
  await expect(two.admin.getText("/readyz")).resolves.toBe("ok");
  await two.stop();
  await two.stop();
  expect(await remainsIn(folder)).toEqual([]);
});

it("is the version that go.mod names, and says so", async () => {
  await using oracle = await startOracle();
  const { version = "" } = goModules()[1] ?? {};
  const [major, minor] = version.slice(1).split(".");
  expect(await oracle.admin.getJson("/version")).toMatchObject({ gitVersion: version, major, minor });
});

it("runs its controllers and its scheduler", async () => {
  await using oracle = await startOracle({ controllerManager: true, scheduler: true });
  expect(oracle.processes.map(({ name }) => name).toSorted()).toEqual([
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
  ]);
  await expect(
    oracle.admin.of(ServiceAccount).get({ namespace: "default", name: "default" }),
  ).resolves.toBeDefined();
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await oracle.admin.of(Deployment).create({ metadata: { namespace: "default", name: "web" }, spec });
  await until("the Deployment has a ReplicaSet", async () => {
    const { items } = await oracle.admin.of(ReplicaSet).list({ namespace: "default" }).all();
    return items.length === 1;
  });
  expect(await oracle.logOf("kube-scheduler")).not.toBe("");
});

it("takes flags, and tells with the end of the log when a program does not start with them", async () => {
  const starting = startOracle({ flags: { "kube-apiserver": { "authorization-mode": "Nonsense" } } });
  await expect(starting).rejects.toThrow(
    /^kube-apiserver ended \(exit code 1\)\. Its last lines:[^]*Nonsense\\" is not a valid mode/u,
  );
  expect(await remainsIn(folder)).toEqual([]);
});

it("lets in only whom its authority knows", async () => {
  await using oracle = await startOracle();
  await using other = await startOracle();
  const { ca = "" } = oracle.adminConfig.trust;
  const { clientCertificate } = await other.adminConfig.credentials.current();
  if (clientCertificate === undefined) throw new Error("no certificate");
  expect(await isOk(`${oracle.url}/api`, ca, clientCertificate)).toBe(false);
});
