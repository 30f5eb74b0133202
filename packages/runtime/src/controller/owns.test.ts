import { controllerReference, uid } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import type { Cached } from "../informer/types.ts";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import { managedByLabel, owns } from "./owns.ts";
import type { ControllerOptions } from "./types.ts";

const key = { namespace: "a", name: "one" };
const child = { namespace: "a", name: "child" };

type Owned = ControllerOptions<Widget, "Namespaced">["owns"];

/** A controller that gives each widget a child: of size 1 when it sees none, else of the size that it has. */
async function world(entries: Owned = [ConfigMap], labels: Record<string, string> = {}) {
  const made = managedWorld();
  const client = made.api.client({ userAgent: "somebody/1" });
  const widget = await client.of(Widget).create({ metadata: key, spec: { parts: 1 } });
  const failures: unknown[] = [];
  let kept: readonly Cached<ConfigMap>[] = [];
  const controller = defineController({
    name: "widgets",
    for: Widget,
    owns: entries,
    async reconcile(run) {
      if (run.object === undefined) return undefined;
      const size = run.read(ConfigMap).get(child)?.data?.["size"] ?? "1";
      const wanted = { metadata: { ...child, labels }, data: { size } };
      await run.apply(ConfigMap, wanted, { owner: run.object }).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
      kept = run.read(ConfigMap).list();
      return undefined;
    },
  });
  return {
    ...made,
    client,
    widget,
    failures,
    begin: () => made.start(controller).then(() => made.clock.advance(100)),
    kept: () => kept.map(({ metadata }) => metadata.name),
    stored: () => client.of(ConfigMap).get(child),
  };
}

const marked = { metadata: { labels: { [managedByLabel]: "widgets" } } };

describe("a bare kind in owns", () => {
  it("is kept in memory only as far as it was made by the controller", async () => {
    const { client, begin, kept, stored } = await world();
    await client.of(ConfigMap).create({ metadata: { namespace: "a", name: "other" } });
    await begin();
    expect(kept()).toEqual(["child"]);
    expect(await stored()).toMatchObject(marked);
  });

  it("has children of an earlier version, which had no label: they get it before anything is decided", async () => {
    const { client, widget, begin, kept, stored, api } = await world();
    const ownerReferences = [controllerReference(widget)];
    await client.of(ConfigMap).create({ metadata: { ...child, ownerReferences }, data: { size: "7" } });
    const before = api.writes.length;
    await begin();
    expect(kept()).toEqual(["child"]);
    expect(await stored()).toMatchObject({ ...marked, data: { size: "7" } });
    // The label, and when it is seen, our fields. Had it been taken for a new one, its size would be 1.
    expect(api.writes.slice(before)).toHaveLength(2);
  });

  it("has a child that lost its label again at once, as it was", async () => {
    const { client, begin, clock, stored, kept } = await world();
    await begin();
    const { metadata } = await stored();
    const change = { metadata: { labels: { [managedByLabel]: null } }, data: { size: "7" } };
    await client.of(ConfigMap).patch(child, { merge: change });
    await clock.advance(100);
    expect(await stored()).toMatchObject({ ...marked, data: { size: "7" } });
    expect((await stored()).metadata.uid).toBe(metadata.uid);
    expect(kept()).toEqual(["child"]);
  });

  it("has no stranger's objects: they get no label", async () => {
    const { client, begin, stored, failures } = await world();
    const owner = { apiVersion: "v1", kind: "Other", metadata: { name: "x", uid: uid("other") } };
    const ownerReferences = [controllerReference(owner)];
    const made = await client.of(ConfigMap).create({ metadata: { ...child, ownerReferences } });
    await begin();
    expect(failures.length).toBeGreaterThan(0);
    expect(await stored()).toEqual(made);
  });
});

describe("a kind with a selector in owns", () => {
  const ours = [owns(ConfigMap, { labelSelector: "example.com/widget" })];

  it("is kept by that, and children get no label that their author did not give", async () => {
    const { client, begin, kept, stored } = await world(ours, { "example.com/widget": "one" });
    await client.of(ConfigMap).create({ metadata: { namespace: "a", name: "other", ...marked.metadata } });
    await begin();
    expect(kept()).toEqual(["child"]);
    expect((await stored()).metadata.labels).toEqual({ "example.com/widget": "one" });
  });

  it("refuses a child that it would never see", async () => {
    const { begin, failures, api } = await world(ours);
    await begin();
    expect(String(failures[0])).toBe(
      'TypeError: ConfigMap a/child: metadata.labels must match what owns(ConfigMap) selects: "example.com/widget"',
    );
    expect(api.store.list("/v1/configmaps")).toEqual([]);
  });

  it("is kept whole when it selects everything", async () => {
    const { client, begin, kept } = await world([owns(ConfigMap, {})]);
    await client.of(ConfigMap).create({ metadata: { namespace: "a", name: "other" } });
    await begin();
    expect(kept().toSorted()).toEqual(["child", "other"]);
  });
});
