import { OwnershipError } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import { adoptByAnnotation } from "./ownership.ts";
import { owns } from "./owns.ts";
import type { ApplyChildOptions, ControllerOptions } from "./types.ts";
import { watches } from "./watches.ts";

const key = { namespace: "a", name: "one" };
const child = { metadata: { namespace: "a", name: "child" }, data: { size: "1" } };
const theirs = { ...child, data: { theirs: "x" } };

type Sees = Pick<ControllerOptions<Widget, "Namespaced">, "owns" | "watches">;

/** A controller that applies one ConfigMap for each Widget. Nothing runs before `start`. */
function world(sees: Sees = { owns: [ConfigMap] }, options: ApplyChildOptions = {}) {
  const made = managedWorld();
  const client = made.api.client({ userAgent: "somebody/1" });
  const failures: unknown[] = [];
  const controller = defineController({
    name: "widgets",
    for: Widget,
    ...sees,
    async reconcile(run) {
      if (run.object === undefined) return undefined;
      try {
        await run.apply(ConfigMap, child, { owner: run.object, ...options });
      } catch (error) {
        failures.push(error);
        throw error;
      }
      return undefined;
    },
  });
  return {
    ...made,
    client,
    failures,
    begin: async () => {
      await client.of(Widget).create({ metadata: key, spec: { parts: 1 } });
      await made.start(controller);
      await made.clock.advance(3);
    },
    stored: () => made.api.store.list("/v1/configmaps")[0] as unknown as ConfigMap | undefined,
  };
}

const filtered: Sees = { watches: [watches(ConfigMap, () => [], { labelSelector: "app=widget" })] };

it.each<[string, Sees]>([
  ["that the cache shows", { owns: [owns(ConfigMap, {})] }],
  ["that a filtered cache does not show", { owns: [ConfigMap] }],
  ["that is watched by another label", filtered],
  ["of a kind that is not watched", {}],
])("leaves an object alone that nobody controls, %s", async (_title, sees) => {
  const { client, begin, failures, stored } = world(sees);
  const made = await client.of(ConfigMap).create(theirs);
  await begin();
  expect(failures[0]).toBeInstanceOf(OwnershipError);
  expect(String(failures[0])).toBe(
    "OwnershipError: ConfigMap a/child exists and is not controlled by Widget one: it is left alone; rename or delete it, or let it be taken over: kubectl annotate -n a configmaps child kedge.dev/adopt-by=Widget/one",
  );
  expect(stored()).toEqual(made);
});

it("does not merge into what somebody makes between our look and our apply", async () => {
  const { api, client, begin, failures, stored, clock } = world();
  api.onRequest = async ({ method, path }) => {
    if (method !== "PATCH" || !path.endsWith("/child") || stored() !== undefined) return;
    await client.of(ConfigMap).create(theirs);
  };
  await begin();
  await clock.advance(100);
  expect(failures[0]).toMatchObject({ code: 409 });
  expect(failures.at(-1)).toBeInstanceOf(OwnershipError);
  expect(stored()?.data).toEqual(theirs.data);
  expect(stored()?.metadata.ownerReferences).toBeUndefined();
});

it("does not mean another object that has the name of ours by now", async () => {
  const { api, client, begin, failures, stored, clock } = world();
  await begin();
  expect(failures).toEqual([]);
  // To be restored by the next run: when that comes to the server, the name is another's.
  api.hold();
  await client.of(ConfigMap).patch(child.metadata, { merge: { data: { size: "2" } } });
  let isExchanged = false;
  api.onRequest = async ({ method, path }) => {
    if (method !== "PATCH" || !path.endsWith("/child") || isExchanged) return;
    isExchanged = true;
    await client.of(ConfigMap).delete(child.metadata);
    await client.of(ConfigMap).create(theirs);
  };
  api.release();
  await clock.advance(100);
  expect(isExchanged).toBe(true);
  expect(failures[0]).toMatchObject({ code: 409 });
  expect(failures.at(-1)).toBeInstanceOf(OwnershipError);
  expect(stored()?.data).toEqual(theirs.data);
});

it("takes over what consents, and only for whom it says", async () => {
  const { client, begin, failures, stored, clock } = world();
  const annotations = { [adoptByAnnotation]: "Widget/other" };
  await client.of(ConfigMap).create({ ...theirs, metadata: { ...theirs.metadata, annotations } });
  await begin();
  expect(failures[0]).toBeInstanceOf(OwnershipError);
  const consent = { metadata: { annotations: { [adoptByAnnotation]: "Widget/one" } } };
  await client.of(ConfigMap).patch(child.metadata, { merge: consent });
  // At once, not after a back-off: the change of what was in the way is a reason to look again.
  await clock.advance(3);
  expect(stored()?.data).toEqual({ theirs: "x", size: "1" });
  expect(stored()?.metadata.ownerReferences).toMatchObject([{ name: "one", controller: true }]);
});

it("makes its own as soon as the other has gone", async () => {
  const { client, begin, failures, stored, clock, logs } = world();
  await client.of(ConfigMap).create(theirs);
  await begin();
  await clock.advance(600_000);
  expect(failures.length).toBeGreaterThan(5);
  expect(logs.filter((line) => line === "warn A name is taken; the run is tried again")).toHaveLength(1);
  await client.of(ConfigMap).delete(child.metadata);
  await clock.advance(3);
  expect(stored()?.data).toEqual(child.data);
});

it("knows what outlives its owner by a label, and gives it no owner", async () => {
  const { client, begin, failures, stored } = world(
    { owns: [ConfigMap] },
    { outlivesBy: "example.com/widget" },
  );
  await begin();
  expect(failures).toEqual([]);
  expect(stored()?.metadata.labels).toMatchObject({ "example.com/widget": "one" });
  expect(stored()?.metadata.ownerReferences).toBeUndefined();
  const second = world({ owns: [ConfigMap] }, { outlivesBy: "example.com/widget" });
  await second.client.of(ConfigMap).create(theirs);
  await second.begin();
  expect(second.failures[0]).toBeInstanceOf(OwnershipError);
  await client.close();
});
