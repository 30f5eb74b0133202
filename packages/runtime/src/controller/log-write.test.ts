import { ClientError } from "@kedge/client";
import { alreadyExists, conflict, forbidden, notFound, OwnershipError, StatusError } from "@kedge/machinery";
import { ConfigMap, Secret } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import { deleteChild } from "./delete-child.ts";
import { expectation, UnmetWishError } from "./expectation.ts";
import { ensureFinalizer } from "./finalizers.ts";
import { writeStatus } from "./write-status.ts";

it("tells each thing that was done once, with the number of the run, and nothing that was left", async () => {
  const world = managedWorld();
  const { api, clock, lines } = world;
  const client = api.client();
  await client.of(Widget).create({ metadata: { namespace: "a", name: "one" }, spec: { parts: 1 } });
  const { metadata } = await client.of(ConfigMap).create({ metadata: { namespace: "a", name: "old" } });
  let runs = 0;
  const controller = defineController({
    name: "widgets",
    for: Widget,
    owns: [ConfigMap],
    async reconcile(run) {
      if (run.object === undefined) return undefined;
      await ensureFinalizer(run, Widget, run.object, "example.com/f");
      await run.apply(ConfigMap, { metadata: { namespace: "a", name: "child" } }, { owner: run.object });
      await run.client.of(Secret).create({ metadata: { namespace: "a", name: `s-${runs++}` } });
      await deleteChild(run, ConfigMap, { namespace: "a", name: "old", uid: metadata.uid });
      await writeStatus(run, Widget, run.object, { parts: 1 });
      run.logger.info("Mine");
      return undefined;
    },
  });
  await world.start(controller);
  await clock.advance(2);
  const told = lines.filter(({ level, run }) => level === "info" && run === 1);
  expect(told.map(({ message, action, kind }) => [message, action, kind])).toEqual([
    ["Written", "patch", "Widget"],
    ["Written", "apply", "ConfigMap"],
    ["Written", "create", "Secret"],
    ["Written", "delete", "ConfigMap"],
    ["Mine", undefined, undefined],
  ]);
  expect(told[2]).toMatchObject({ controller: "widgets", key: "a/one", namespace: "a", run: 1 });
  const second = lines.filter(({ level, run }) => level === "info" && run === 2);
  expect(second.map(({ action }) => action)).toEqual(["create", undefined]);
});

const maps = { group: "", plural: "configmaps" };
const terminating = new StatusError({
  ...forbidden(maps, "x", "its namespace is being terminated").status,
  details: { causes: [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }] },
});

it.each<[string, unknown, string | undefined]>([
  ["a conflict", conflict(maps, "x"), "info"],
  ["another operator that was quicker", alreadyExists(maps, "x"), "info"],
  ["a wish that cannot be met", new UnmetWishError("900Ti requested, 80Gi left"), "warn"],
  ["something that is gone", notFound(maps, "x"), "info"],
  ["a namespace that is being deleted", terminating, "info"],
  ["a name that is taken", new OwnershipError("NotControlled", "x"), "warn"],
  ["a refusal", forbidden(maps, "x", "quota"), "warn"],
  ["a fault of the program", new TypeError("x is not a function"), undefined],
  ["a fault on the way", new ClientError("PROTOCOL", "x"), undefined],
])("needs a stack only for what nobody expects: %s", (_title, error, level) => {
  expect(expectation(error)?.level).toBe(level);
});
