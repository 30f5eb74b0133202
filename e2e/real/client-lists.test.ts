import { connect, type WatchEvent } from "@kedge/client";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { useOracle } from "./testing/use-oracle.ts";

const at = useOracle();

describe("lists and watches", () => {
  it("pages through a list at one version, while it changes", async () => {
    const maps = at.client.of(ConfigMap);
    const labels = { app: "paged" };
    for (let i = 0; i < 7; i++) await maps.create({ metadata: { ...at.key(`m${i}`), labels } });
    const names: string[] = [];
    for await (const page of maps
      .list({ namespace: at.namespace, labelSelector: labels, pageSize: 3 })
      .pages()) {
      if (names.length === 0) await maps.delete(at.key("m6"));
      names.push(...page.items.map(({ metadata }) => metadata.name));
      for (const item of page.items) expect(item).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    }
    expect(names).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
    expect(
      (await maps.list({ namespace: at.namespace, labelSelector: labels, pageSize: 2 }).all()).items,
    ).toHaveLength(6);
  });

  it("a watch that begins with what is there tells when that is over", async () => {
    const maps = at.client.of(ConfigMap);
    await maps.create({ metadata: { ...at.key("a"), labels: { app: "w" } } });
    const events: WatchEvent<ConfigMap>[] = [];
    for await (const event of maps.watch({
      namespace: at.namespace,
      labelSelector: "app=w",
      sendInitialEvents: true,
    })) {
      events.push(event);
      if (event.type === "BOOKMARK" && event.initialEventsEnd)
        await maps.patch(at.key("a"), { merge: { metadata: { labels: { app: "gone" } } } });
      if (event.type === "DELETED") break;
    }
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK", "DELETED"]);
  });

  it("a watch ends when the server's time is up, without an error", async () => {
    const events = at.client
      .of(ConfigMap)
      .watch({ namespace: at.namespace, timeoutSeconds: 1, resourceVersion: "0" });
    expect((await Array.fromAsync(events)).every(({ type }) => type === "BOOKMARK" || type === "ADDED")).toBe(
      true,
    );
  });

  it("reads only metadata when that is all that is wanted", async () => {
    await at.client
      .of(ConfigMap)
      .create({ metadata: { ...at.key("a"), labels: { app: "m" } }, data: { big: "x" } });
    const one = await at.client.metadataOf(ConfigMap).get(at.key("a"));
    expect(one).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { name: "a", labels: { app: "m" } },
    });
    expect(one).not.toHaveProperty("data");
    const { items } = await at.client
      .metadataOf(ConfigMap)
      .list({ namespace: at.namespace, labelSelector: "app=m" })
      .all();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    for await (const event of at.client
      .metadataOf(ConfigMap)
      .watch({ namespace: at.namespace, sendInitialEvents: true, labelSelector: "app=m" })) {
      expect(event).toMatchObject({
        type: "ADDED",
        object: { kind: "PartialObjectMetadata", metadata: { name: "a" } },
      });
      break;
    }
  });

  it("leaves managedFields out when told to, and a replace without them does no harm", async () => {
    const lean = connect(at.oracle.adminConfig, { dropManagedFields: true });
    onTestFinished(() => lean.close());
    await at.client
      .of(ConfigMap)
      .apply({ metadata: at.key("a"), data: { x: "1" } }, { fieldManager: "owner" });
    const map = await lean.of(ConfigMap).get(at.key("a"));
    expect(map.metadata.managedFields).toBeUndefined();
    await lean.of(ConfigMap).replace({ ...map, data: { ...map.data, y: "2" } }, { fieldManager: "other" });
    const after = await at.client.of(ConfigMap).get(at.key("a"));
    expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["owner", "other"]);
  });
});
