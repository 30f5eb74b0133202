import { notFound } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineController } from "./define-controller.ts";
import { optional } from "./optional.ts";
import { managedByLabel, owns } from "./owns.ts";
import type { ControllerOptions } from "./types.ts";
import { watches } from "./watches.ts";

const key = { namespace: "a", name: "one" };

type Sees = Pick<ControllerOptions<Widget, "Namespaced">, "owns" | "watches">;

/** A controller that makes a ConfigMap for each widget where there are ConfigMaps. */
async function worldWith(sees: Sees, isServed: boolean) {
  const world = managedWorld();
  const client = world.api.client();
  await client.of(Widget).create({ metadata: key, spec: { parts: 1 } });
  const state = { isServed, seen: [] as string[] };
  world.api.onRequest = ({ path }) => {
    if (!state.isServed && path.includes("/configmaps"))
      throw notFound({ group: "", plural: "configmaps" }, "");
  };
  const controller = defineController({
    name: "widgets",
    for: Widget,
    ...sees,
    async reconcile(run) {
      const maps = run.read(ConfigMap);
      state.seen.push(`${maps.isServed ? "served" : "not served"}, ${maps.list().length}`);
      if (run.object !== undefined && maps.isServed) {
        const labels = { [managedByLabel]: "widgets" };
        await run.apply(ConfigMap, { metadata: { ...key, labels } }, { owner: run.object });
      }
      return undefined;
    },
  });
  await world.start(controller);
  return { ...world, state };
}

const labelSelector = { [managedByLabel]: "widgets" };

describe("an optional kind", () => {
  it.each<[string, Sees]>([
    ["a bare kind", { owns: [optional(ConfigMap)] }],
    ["one that is owned by a selector", { owns: [optional(owns(ConfigMap, { labelSelector }))] }],
    ["one that is watched", { watches: [optional(watches(ConfigMap, () => [], { labelSelector }))] }],
  ])(
    "does not hold the controller up, and is looked at within seconds when it comes: %s",
    async (_what, sees) => {
      const { state, clock, api, lines } = await worldWith(sees, false);
      expect(state.seen).toEqual(["not served, 0"]);
      await clock.advance(10 * 60_000);
      expect(state.seen).toEqual(["not served, 0"]);
      expect(lines.filter(({ level, informer }) => level === "warn" && informer === "v1/configmaps")).toEqual(
        [],
      );
      state.isServed = true;
      await clock.advance(5100);
      expect(state.seen).toContain("served, 0");
      expect(api.store.list("/v1/configmaps")).toHaveLength(1);
    },
  );

  it("may go, and come again", async () => {
    const { state, clock, api } = await worldWith({ owns: [optional(ConfigMap)] }, true);
    await clock.settle();
    expect(state.seen.at(-1)).toBe("served, 1");
    state.isServed = false;
    api.store.remove("/v1/configmaps", api.store.list("/v1/configmaps")[0] as never);
    api.cutWatches("end");
    await clock.advance(10_000);
    expect(state.seen.at(-1)).toBe("not served, 0");
    state.isServed = true;
    await clock.advance(10_000);
    expect(state.seen.at(-1)).toBe("served, 1");
  });

  it("is not one that somebody needs: that is waited for", async () => {
    const world = managedWorld();
    world.api.onRequest = ({ path }) => {
      if (path.includes("/configmaps")) throw notFound({ group: "", plural: "configmaps" }, "");
    };
    const reconcile = () => Promise.resolve(undefined);
    world.manager.add(
      defineController({ name: "some", for: Widget, owns: [optional(ConfigMap)], reconcile }),
    );
    world.manager.add(defineController({ name: "other", for: Widget, owns: [ConfigMap], reconcile }));
    const end = new AbortController();
    const running = world.manager.run(end.signal);
    await world.clock.advance(60_000);
    expect(world.manager.informers.unsynced()).toEqual(["v1/configmaps"]);
    end.abort();
    await world.clock.runUntil(running);
  });
});
