import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@kedge/client";
import { ifFound } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModules } from "../real/build.ts";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { helmModule, moduleCache } from "../real/programs.ts";
import { startOurServer } from "../real/testing/our-server.ts";

const chart = join(import.meta.dirname, "chart");

// The same on both: what the real server has answered to Helm is what ours has to answer.
describe.each([
  ["the real API server", {}],
  ["our API server", { server: startOurServer }],
])("the real Helm on %s", (_, options) => {
  let oracle: Oracle;
  let client: Client;
  let helm: (...args: readonly string[]) => Promise<string>;
  beforeAll(async () => {
    const module = helmModule();
    const built = await buildModules([module], { env: process.env, print: () => undefined });
    if (!built.ok) throw new Error(built.reason);
    oracle = await startOracle(options);
    client = oracle.admin;
    const env = { PATH: process.env["PATH"], HOME: oracle.folder, KUBECONFIG: oracle.kubeconfig.path };
    const program = join(moduleCache(module, process.env), "helm");
    helm = async (...args) => (await promisify(execFile)(program, args, { env })).stdout;
  });
  afterAll(async () => {
    await oracle?.stop();
  });

  const at = (name: string) => ({ namespace: "default", name });
  const state = async () => ({
    replicas: (await client.of(Deployment).get(at("hi"))).spec.replicas,
    text: (await client.of(ConfigMap).get(at("hi-greeting"))).data?.["text"],
  });

  it("installs a chart with a kind of its own", async () => {
    expect(await helm("install", "hi", chart)).toContain("STATUS: deployed");
    expect(await state()).toEqual({ replicas: 2, text: "hello" });
    const greetings = "/apis/greeter.example.com/v1/namespaces/default/greetings";
    expect(await client.getJson(`${greetings}/hi`)).toMatchObject({ spec: { text: "hello" } });
  });

  it("upgrades it, three ways merged: what another has changed stays", async () => {
    await client.of(Deployment).patch(at("hi"), { merge: { metadata: { labels: { other: "kept" } } } });
    expect(await helm("upgrade", "hi", chart, "--set", "replicas=3,greeting=bye")).toContain("REVISION: 2");
    expect(await state()).toEqual({ replicas: 3, text: "bye" });
    expect((await client.of(Deployment).get(at("hi"))).metadata.labels).toMatchObject({ other: "kept" });
  });

  it("tells what a dry run on the server would do, and does not", async () => {
    await helm("upgrade", "hi", chart, "--set", "replicas=7", "--dry-run=server");
    expect((await state()).replicas).toBe(3);
  });

  it("refuses what the server does not know", async () => {
    const wrong = helm("install", "wrong", chart, "--set", "replicas=many");
    await expect(wrong).rejects.toThrow(/INSTALLATION FAILED/u);
    // What came before it stays until it is uninstalled.
    expect(await helm("uninstall", "wrong")).toContain("uninstalled");
    expect(await ifFound(client.of(Service).get(at("wrong")))).toBeUndefined();
  });

  it("rolls it back, and knows its history", async () => {
    expect(await helm("rollback", "hi", "1")).toContain("Rollback was a success");
    expect(await state()).toEqual({ replicas: 2, text: "hello" });
    const history = JSON.parse(await helm("history", "hi", "--output", "json")) as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(["superseded", "superseded", "deployed"]);
  });

  it("uninstalls it, and leaves nothing", async () => {
    expect(await helm("uninstall", "hi")).toBe('release "hi" uninstalled\n');
    expect(await ifFound(client.of(Deployment).get(at("hi")))).toBeUndefined();
    expect(await ifFound(client.of(ConfigMap).get(at("hi-greeting")))).toBeUndefined();
    const { items } = await client.of(Secret).list({ namespace: "default" }).all();
    expect(items.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
