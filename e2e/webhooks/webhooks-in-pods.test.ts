import type { Client } from "@kedge/client";
import { messageOf } from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Namespace, Pod } from "@kedge/machinery/kinds/core/v1";
import { beforeAll, describe, expect, it } from "vitest";
import { upCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import {
  createHooks,
  definePalettes,
  palette,
  registerHooks,
  registerTints,
  tintsService,
  type Hooks,
} from "./testing/hook-objects.ts";

const namespace = "hooked";
const patience = { interval: 100, timeout: 60_000 };

describe.each([
  { where: "one node", nodes: 1 },
  { where: "three nodes", nodes: 3 },
])("webhooks in pods of $where, asked by their Service", needs(whyNoContainers()), ({ nodes }) => {
  let client: Client;
  let hooks: Hooks;

  beforeAll(async () => {
    const cluster = await upCluster({ flags: ["--nodes", String(nodes), "--no-operators"] });
    ({ client } = cluster);
    return () => cluster[Symbol.asyncDispose]();
  });

  const create = async (name: string, color: string): Promise<ConfigMap> =>
    await client.of(ConfigMap).create({ metadata: { namespace, name }, data: { color } });

  it("come up behind it", async () => {
    hooks = await createHooks(client, nodes);
    await client.of(Namespace).create({ metadata: { name: namespace, labels: { hooked: "yes" } } });
    const ready = async () =>
      (await client.of(Deployment).get({ namespace: "hooks", name: "hooks" })).status?.readyReplicas;
    await expect.poll(ready, patience).toBe(nodes);
    await registerHooks(client, hooks);
  });

  it("refuse what they do not like, in their own words", async () => {
    await expect(create("bad", "red")).rejects.toThrow(
      'admission webhook "validate.hooks.example.com" denied the request: red is taken',
    );
  });

  it("change what is created, whichever node they are on", async () => {
    const { items } = await client.of(Pod).list({ namespace: "hooks" }).all();
    expect(new Set(items.map(({ spec }) => spec?.nodeName)).size).toBe(nodes);
    const names = items.map(({ metadata }) => metadata.name).toSorted();
    const seen = new Set<string>();
    let made = 0;
    const seenAll = async () => {
      const { metadata } = await create(`good-${made++}`, "blue");
      seen.add(metadata.labels?.["seen-by"] ?? "nobody");
      return [...seen].toSorted();
    };
    await expect.poll(seenAll, patience).toEqual(names);
  });

  it("convert between the versions of a kind", async () => {
    await definePalettes(client, hooks);
    const key = { namespace, name: "a" };
    // It is served a moment after it was defined.
    const served = () => client.getJson("/apis/hooks.example.com/v2").then(() => "served", messageOf);
    await expect.poll(served, patience).toBe("served");
    const made = await client.of(palette("v1")).create({ metadata: key, color: "green" });
    expect(made).toMatchObject({ apiVersion: "hooks.example.com/v1", color: "green" });
    expect(await client.of(palette("v2")).get(key)).toMatchObject({ colors: ["green"] });
    expect(await client.of(palette("v1")).list({ namespace }).all()).toMatchObject({
      items: [{ color: "green" }],
    });
  });

  it("are an API server of their own behind an APIService", async () => {
    await registerTints(client, hooks);
    const available = async () => {
      const { status } = await client.of(APIService).get({ name: tintsService });
      return status?.conditions?.[0]?.message;
    };
    await expect.poll(available, patience).toBe("all checks passed");
    expect(await client.discovery.kind({ group: "tints.example.com", kind: "Tint" })).toMatchObject({
      plural: "tints",
    });
    const list = await client.getJson("/apis/tints.example.com/v1/namespaces/hooked/tints");
    expect(list).toMatchObject({ items: [{ metadata: { name: "kubernetes-admin" } }] });
  });

  it("are told from ones that are gone", async () => {
    await client
      .of(Deployment)
      .patch({ namespace: "hooks", name: "hooks" }, { merge: { spec: { replicas: 0 } } });
    const refused = async () => await create("late", "blue").then(() => "created", messageOf);
    await expect.poll(refused, patience).toContain('failed calling webhook "mutate.hooks.example.com"');
    await expect.poll(refused, patience).toContain('no endpoints available for service "hooks"');
    const tints = () => client.getText("/apis/tints.example.com/v1/namespaces/hooked/tints");
    const away = async () => await tints().then(() => "served", messageOf);
    await expect.poll(away, patience).toContain("the server is currently unable to handle the request");
  });
});
