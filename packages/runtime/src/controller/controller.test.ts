import { conflict, controllerReference, serviceUnavailable, type ObjectKey } from "@kedge/machinery";
import { ConfigMap, Secret } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { managedWorld, type ManagedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { defineIndex } from "../informer/define-index.ts";
import { owns } from "./owns.ts";
import { defineController } from "./define-controller.ts";
import { TerminalError } from "./terminal-error.ts";
import type { ControllerOptions, ReconcileContext } from "./types.ts";
import { watches } from "./watches.ts";

type Run = ReconcileContext<Widget>;

/** A world in which a controller's runs are recorded. */
function recorded(
  reconcile: (run: Run) => unknown,
  options: Partial<ControllerOptions<Widget, "Namespaced">> = {},
) {
  const world = managedWorld();
  const runs: Run[] = [];
  const controller = defineController({
    name: "widgets",
    for: Widget,
    ...options,
    async reconcile(run) {
      runs.push(run);
      const result = await reconcile(run);
      return result as { requeueAfter?: number } | undefined;
    },
  });
  return { ...world, runs, controller };
}

const key = (name: string): ObjectKey & { namespace: string } => ({ namespace: "a", name });

function create({ api }: Pick<ManagedWorld, "api">, name: string, parts = 1) {
  return api
    .client()
    .of(Widget)
    .create({ metadata: key(name), spec: { parts } });
}

describe("a controller", () => {
  it("finds objects by indexes of its own", async () => {
    const byColour = defineIndex(ConfigMap, "colour", ({ data }) => Object.values(data ?? {}));
    const found: (readonly string[])[] = [];
    const world = recorded(
      (run) => {
        found.push(
          run
            .read(ConfigMap)
            .byIndex(byColour, "red")
            .map(({ metadata }) => metadata.name),
        );
        // @ts-expect-error an index of another kind
        expect(() => run.read(Widget).byIndex(byColour, "red")).toThrow("there is none of this name");
      },
      { watches: [watches(ConfigMap, () => [])], indexes: [byColour] },
    );
    for (const [name, data] of Object.entries({ one: { a: "red", b: "blue" }, two: { a: "blue" } }))
      await world.api
        .client()
        .of(ConfigMap)
        .create({ metadata: key(name), data });
    await create(world, "one");
    await world.start(world.controller);
    expect(found).toEqual([["one"]]);
  });

  it("cannot have an index of a kind that it does not look at", async () => {
    const world = recorded(() => undefined, { indexes: [defineIndex(Secret, "type", () => [])] });
    await expect(world.start(world.controller)).rejects.toThrow(
      'controller widgets: index "type": Secret must be in for, owns or watches',
    );
  });

  it("lets an object wait as its back-off says", async () => {
    const runs: number[] = [];
    const world = recorded(
      () => {
        runs.push(world.clock.monotonic());
        throw new Error("no");
      },
      { backoff: { baseDelayMs: 2000, maxDelayMs: 3000 } },
    );
    await create(world, "one");
    await world.start(world.controller);
    await world.clock.advance(10_000);
    expect(runs.map((at) => at - (runs[0] ?? 0))).toEqual([0, 2000, 5000, 8000]);
  });

  it("reads all that it watches of a kind, also by several selections", async () => {
    const seen: (readonly string[])[] = [];
    const world = recorded(
      (run) => {
        const reader = run.read(ConfigMap);
        seen.push(reader.list().map(({ metadata }) => metadata.name));
        expect(reader.get(key("red"))?.metadata.name).toBe("red");
        expect(reader.get(key("blue"))?.metadata.name).toBe("blue");
      },
      {
        watches: [
          watches(ConfigMap, () => [], { labelSelector: "colour=red" }),
          watches(ConfigMap, () => [], { labelSelector: "colour in (red, blue)" }),
        ],
      },
    );
    for (const colour of ["red", "blue", "green"]) {
      const metadata = { ...key(colour), labels: { colour } };
      await world.api.client().of(ConfigMap).create({ metadata });
    }
    await create(world, "one");
    await world.start(world.controller);
    expect(seen).toEqual([["red", "blue"]]);
  });

  it("looks at an object whose change its predicate cannot judge", async () => {
    const world = recorded(() => undefined, {
      when: (object) => {
        if (object.spec.parts > 1) throw new Error("cannot say");
        return true;
      },
    });
    await create(world, "one");
    await world.start(world.controller);
    await world.api
      .client()
      .of(Widget)
      .patch(key("one"), { merge: { spec: { parts: 2 } } });
    await world.clock.settle();
    expect(world.runs).toHaveLength(2);
    expect(world.logs.filter((line) => line.startsWith("error"))).toHaveLength(1);
  });

  it("looks at all its objects when nobody can say whom a change concerns, once for many", async () => {
    const world = recorded(() => undefined, {
      watches: [
        watches(ConfigMap, () => {
          throw new Error("cannot say");
        }),
      ],
    });
    for (const name of ["one", "two"]) await create(world, name);
    await world.start(world.controller);
    expect(world.runs).toHaveLength(2);
    for (let index = 0; index < 20; index++) {
      await world.api
        .client()
        .of(ConfigMap)
        .create({ metadata: key(`c${index}`) });
    }
    await world.clock.advance(6000);
    expect(world.runs.slice(2).map((run) => run.key.name)).toEqual(["one", "two"]);
  });

  it("does not hold an outage against its objects", async () => {
    const world = recorded((run) =>
      run.client.of(ConfigMap).create({ metadata: { namespace: "a", generateName: "x" } }),
    );
    await create(world, "one");
    let isAway = true;
    world.api.onRequest = ({ method }) => {
      if (isAway && method === "POST") throw serviceUnavailable("the server is away");
    };
    await world.start(world.controller);
    await world.clock.advance(12 * 60_000);
    const tries = world.runs.length;
    // The client tries a few times for each run.
    expect(tries).toBeGreaterThan(20);
    expect(world.logs.filter((line) => line.startsWith("error"))).toEqual([]);
    expect(world.logs.filter((line) => line.startsWith("warn The API server"))).toHaveLength(1);
    isAway = false;
    await world.clock.advance(6000);
    expect(world.api.store.list("/v1/configmaps")).toHaveLength(1);
  });

  it("looks at what exists, at what is new, and at what is gone, and knows why", async () => {
    const world = recorded(() => undefined);
    const { runs, controller, clock, api } = world;
    await create(world, "old");
    await world.start(controller);
    expect(runs.map((run) => [run.key.name, run.object?.spec.parts])).toEqual([["old", 1]]);
    expect(runs[0]?.causes).toMatchObject([{ source: "Widget a/old", reason: "added", count: 1 }]);
    await create(world, "new");
    await api.client().of(Widget).delete(key("old"));
    await clock.settle();
    expect(runs.slice(1).map((run) => [run.key.name, run.object === undefined])).toEqual([
      ["new", false],
      ["old", true],
    ]);
  });

  it.each<[string, object, number]>([
    ["the spec", { spec: { parts: 2 } }, 1],
    ["labels", { metadata: { labels: { a: "b" } } }, 1],
    ["annotations", { metadata: { annotations: { a: "b" } } }, 1],
    ["finalizers", { metadata: { finalizers: ["example.com/f"] } }, 1],
    ["owners", { metadata: { ownerReferences: [controllerReference(someOwner())] } }, 0],
  ])("looks again when %s changed", async (_what, merge, times) => {
    const world = recorded(() => undefined);
    await create(world, "one");
    await world.start(world.controller);
    world.runs.length = 0;
    await world.api.client().of(Widget).patch(key("one"), { merge });
    await world.clock.settle();
    expect(world.runs).toHaveLength(times);
  });

  it("does not look at its own status", async () => {
    const world = recorded(() => undefined);
    await create(world, "one");
    await world.start(world.controller);
    world.runs.length = 0;
    await world.api
      .client()
      .of(Widget)
      .status.patch(key("one"), { merge: { status: { phase: "Up" } } });
    await world.clock.settle();
    expect(world.runs).toHaveLength(0);
  });

  it("looks at the owner when a child changes, and at whom else a change concerns", async () => {
    const world = recorded(() => undefined, {
      owns: [owns(ConfigMap, {})],
      watches: [watches(Secret, ({ metadata }) => [key(metadata.name)], { namespace: "a" })],
    });
    const owner = await create(world, "one");
    await world.start(world.controller);
    world.runs.length = 0;
    const client = world.api.client();
    const ownerReferences = [controllerReference(owner)];
    await client.of(ConfigMap).create({ metadata: { ...key("child"), ownerReferences } });
    await world.clock.settle();
    await client.of(ConfigMap).create({ metadata: key("stranger") });
    await client.of(Secret).create({ metadata: key("two") });
    await client.of(ConfigMap).delete(key("child"));
    await world.clock.settle();
    expect(world.runs.map((run) => [run.key.name, run.causes[0]?.source, run.causes[0]?.reason])).toEqual([
      ["one", "ConfigMap a/child", "added"],
      ["two", "Secret a/two", "added"],
      ["one", "ConfigMap a/child", "deleted"],
    ]);
  });

  it("tries again what failed, later each time, while others go on", async () => {
    const world = recorded((run) => {
      if (run.key.name === "bad") throw new Error("no luck");
    });
    await create(world, "bad");
    await create(world, "good");
    await world.start(world.controller);
    await world.clock.advance(1000);
    const names = world.runs.map((run) => run.key.name);
    expect(names.filter((name) => name === "good")).toHaveLength(1);
    // After 5, 15, 35, … ms: eight in a second.
    expect(names.filter((name) => name === "bad")).toHaveLength(8);
    expect(world.runs.at(-1)?.causes).toMatchObject([{ source: "widgets", reason: "no luck" }]);
    expect(world.logs).toContain("error A run failed; it is tried again");
  });

  it("takes a conflict as no more than a reason to look again", async () => {
    let isFirst = true;
    const world = recorded(() => {
      if (!isFirst) return;
      isFirst = false;
      throw conflict(Widget, "one");
    });
    await create(world, "one");
    await world.start(world.controller);
    await world.clock.advance(100);
    expect(world.runs).toHaveLength(2);
    expect(world.logs.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("does not try again after a terminal error, until something changes", async () => {
    const world = recorded(() => {
      throw new TerminalError("never");
    });
    await create(world, "one");
    await world.start(world.controller);
    await world.clock.advance(2_000_000);
    expect(world.runs).toHaveLength(1);
    await world.api
      .client()
      .of(Widget)
      .patch(key("one"), { merge: { spec: { parts: 5 } } });
    await world.clock.settle();
    expect(world.runs).toHaveLength(2);
  });

  it("comes back when it was asked to", async () => {
    const world = recorded(() => ({ requeueAfter: 60_000 }));
    await create(world, "one");
    await world.start(world.controller);
    await world.clock.advance(59_000);
    expect(world.runs).toHaveLength(1);
    await world.clock.advance(2000);
    expect(world.runs).toHaveLength(2);
  });

  it("ends runs that take too long, and they count as failed", async () => {
    const world = recorded((run) => run.clock.sleep(3_600_000, run.signal), { timeout: 1000 });
    await create(world, "one");
    await world.start(world.controller);
    await world.clock.advance(1500);
    expect(world.runs[0]?.signal.aborted).toBe(true);
    expect(world.runs).toHaveLength(2);
    expect(await world.manager.metricsText()).toContain(
      'controller_runtime_reconcile_timeouts_total{controller="widgets"} 1',
    );
  });

  it("goes on without a run that does not listen, but never runs its object twice at once", async () => {
    const world = recorded((run) => (run.key.name === "deaf" ? new Promise(() => undefined) : undefined), {
      timeout: 1000,
      workers: 1,
    });
    await create(world, "deaf");
    await world.start(world.controller);
    await create(world, "other");
    await world.api
      .client()
      .of(Widget)
      .patch(key("deaf"), { merge: { spec: { parts: 5 } } });
    await world.clock.advance(5000);
    expect(world.runs.map((run) => run.key.name)).toEqual(["deaf"]);
    await world.clock.advance(60_000);
    expect(world.runs.map((run) => run.key.name)).toEqual(["deaf", "other"]);
  });

  it("runs as many at a time as it has workers", async () => {
    let most = 0;
    let now = 0;
    const world = recorded(
      async (run) => {
        most = Math.max(most, ++now);
        await run.clock.sleep(10);
        now--;
      },
      { workers: 3 },
    );
    for (let index = 0; index < 10; index++) await create(world, `w${index}`);
    await world.start(world.controller);
    await world.clock.advance(1000);
    expect(world.runs).toHaveLength(10);
    expect(most).toBe(3);
  });

  it("reads only what it said that it looks at", async () => {
    const errors: unknown[] = [];
    const world = recorded((run) => {
      expect(run.read(Widget).get(run.key)).toBe(run.object);
      try {
        run.read(ConfigMap);
      } catch (error) {
        errors.push(error);
      }
    });
    await create(world, "one");
    await world.start(world.controller);
    expect(String(errors[0])).toContain("read(ConfigMap): this kind has no cache here");
  });

  it("refuses a name that cannot name a field manager", () => {
    const reconcile = async () => undefined;
    expect(() => defineController({ name: "My Controller", for: Widget, reconcile })).toThrow(/kebab case/);
  });
});

function someOwner() {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", uid: "u-1" as never } };
}
