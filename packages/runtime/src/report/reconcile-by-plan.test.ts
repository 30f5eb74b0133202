import { conflict, forbidden, type ObjectKey } from "@kedge/machinery";
import { ConfigMap, Event } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import { deleteChild } from "../controller/delete-child.ts";
import { ensureFinalizer } from "../controller/finalizers.ts";
import type { Cached } from "../informer/types.ts";
import type { SeenRequest } from "../testing/memory-api.ts";
import { managedWorld, type ManagedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { phaseEvents, type PhaseReport } from "./phase-report.ts";
import { reconcileByPlan, type Plan, type ReportFacts } from "./reconcile-by-plan.ts";
import { refusalText } from "./refusal.ts";
import { reportConditions } from "./report-conditions.ts";

const finalizer = "example.com/widgets";
const key: ObjectKey & { namespace: string } = { namespace: "a", name: "one" };

interface Observed {
  readonly widget: Cached<Widget>;
  readonly part: Cached<ConfigMap> | undefined;
}

type Action = { readonly do: "hold" } | { readonly do: "apply-part" } | { readonly do: "delete-part" };

/** A small operator: a widget has a part, which goes before it; more than three parts are refused. */
const reconcileWidget = reconcileByPlan({
  kind: Widget,
  finalizer,
  resync: 60_000,
  observe: (context, widget): Observed => ({ widget, part: context.read(ConfigMap).get(key) }),
  plan({ widget, part }: Observed): Plan<Action> {
    const nothing = { actions: [], refusals: [], release: false };
    if (widget.metadata.deletionTimestamp !== undefined) {
      return part === undefined
        ? { ...nothing, release: true }
        : { ...nothing, actions: [{ do: "delete-part" }] };
    }
    if (widget.spec.parts > 3) {
      return { ...nothing, refusals: [{ field: "spec.parts", message: "must be at most 3" }] };
    }
    return { ...nothing, actions: [{ do: "hold" }, { do: "apply-part" }] };
  },
  async act(action, context, widget) {
    if (action.do === "hold") await ensureFinalizer(context, Widget, widget, finalizer);
    if (action.do === "apply-part") {
      await context.apply(ConfigMap, { metadata: key, data: {} }, { owner: widget });
    }
    if (action.do === "delete-part") {
      const uid = context.read(ConfigMap).get(key)?.metadata.uid;
      if (uid !== undefined) await deleteChild(context, ConfigMap, { ...key, uid });
    }
  },
  report(facts, clock) {
    const { widget, part } = facts.observed;
    const report = phaseOf(facts);
    const { phase, conditions } = widget.status ?? {};
    return {
      status: {
        phase: report.phase,
        parts: part === undefined ? 0 : 1,
        conditions: reportConditions(
          { object: widget, report, refusals: facts.refusals, stalled: facts.failure },
          clock,
        ),
      },
      events: phaseEvents({ phase, conditions }, report, facts.refusals),
    };
  },
});

function phaseOf({ refusals, failure }: ReportFacts<Observed>): PhaseReport {
  if (failure !== undefined) return { phase: "Failed", ready: false, ...failure };
  return refusals.length > 0
    ? { phase: "Failed", ready: false, reason: "SpecRefused", message: refusalText(refusals) }
    : { phase: "Running", ready: true, reason: "AllThere", message: "All is there." };
}

async function worldWith(parts: number, onRequest?: (request: SeenRequest) => void): Promise<ManagedWorld> {
  const world = managedWorld();
  await world.api.client().of(Widget).create({ metadata: key, spec: { parts } });
  world.api.onRequest = onRequest;
  await world.start(
    defineController({ name: "widgets", for: Widget, owns: [ConfigMap], reconcile: reconcileWidget }),
  );
  return world;
}

const widgetOf = ({ api }: ManagedWorld): Promise<Widget> => api.client().of(Widget).get(key);

async function statesOf(world: ManagedWorld): Promise<readonly string[]> {
  const { status } = await widgetOf(world);
  return (status?.conditions ?? []).map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`);
}

async function eventsOf(world: ManagedWorld): Promise<readonly string[]> {
  await world.clock.settle();
  const { items } = await world.api.client().of(Event).list({ namespace: "a" }).all();
  return items.map(({ type, reason, message, count }) => `${type} ${reason} ${count}: ${message}`);
}

const configMaps = { group: "", plural: "configmaps" };

/** Refuses what is asked of parts with this error. */
const refusing = (error: () => Error) => (request: SeenRequest) => {
  if (request.method !== "GET" && request.path.includes("/configmaps/")) throw error();
};
const noQuota = (): Error => forbidden(configMaps, "one", "no quota");

describe("a reconcile by plan", () => {
  it("acts, and reports what is there after the run", async () => {
    const world = await worldWith(1);
    expect(await widgetOf(world)).toMatchObject({
      metadata: { finalizers: [finalizer] },
      status: { phase: "Running", parts: 1 },
    });
    expect(await statesOf(world)).toEqual(["Ready True AllThere", "SpecAccepted True Accepted"]);
    expect(await eventsOf(world)).toEqual(["Normal Running 1: All is there."]);
    // Once: had the first run reported what was there before it, the next one would have had to correct it.
    expect(world.api.writes.filter((write) => write.endsWith("/status"))).toHaveLength(1);
  });

  it("looks again after the resync, and writes nothing when nothing is new", async () => {
    const world = await worldWith(1);
    await world.clock.settle();
    const runs = (): number => world.logs.filter((line) => line === "debug Planned").length;
    const before = { runs: runs(), writes: world.api.writes.length };
    await world.clock.advance(60_000);
    expect(runs()).toBe(before.runs + 1);
    expect(world.api.writes).toHaveLength(before.writes);
  });

  it("reports what is refused, until it is asked for no more", async () => {
    const world = await worldWith(9);
    expect(await statesOf(world)).toEqual([
      "Ready False SpecRefused",
      "SpecAccepted False Refused",
      "Stalled True SpecRefused",
    ]);
    expect(await eventsOf(world)).toContain("Warning SpecRefused 1: spec.parts must be at most 3");
    await world.api
      .client()
      .of(Widget)
      .patch(key, { merge: { spec: { parts: 3 } } });
    await world.clock.settle();
    expect(await statesOf(world)).toEqual(["Ready True AllThere", "SpecAccepted True Accepted"]);
  });

  it("reports a failure that concerns the object, tries again, and gets over it", async () => {
    const world = await worldWith(1, refusing(noQuota));
    expect(await widgetOf(world)).toMatchObject({ status: { phase: "Failed", parts: 0 } });
    expect(await statesOf(world)).toContain("Stalled True Forbidden");
    expect(await eventsOf(world)).toEqual([expect.stringMatching(/^Warning Failed 1: .*no quota/u)]);
    world.api.onRequest = undefined;
    await world.clock.advance(120_000);
    expect(await widgetOf(world)).toMatchObject({ status: { phase: "Running", parts: 1 } });
  });

  it("does not report what says nothing about the object", async () => {
    const world = await worldWith(
      1,
      refusing(() => conflict(configMaps, "one", "changed")),
    );
    expect((await widgetOf(world)).status).toBeUndefined();
    expect(world.logs.filter((line) => line === "debug Planned").length).toBeGreaterThan(1);
  });

  it("logs that a failure could not be reported", async () => {
    const world = await worldWith(1, (request) => {
      if (request.path.endsWith("/status")) throw forbidden(Widget, "one", "no status");
      refusing(noQuota)(request);
    });
    expect(world.logs).toContain("warn The failure could not be reported in the status");
    expect((await widgetOf(world)).status).toBeUndefined();
  });

  it("lets an object go when its clean-up is done", async () => {
    const world = await worldWith(1);
    await world.api.client().of(Widget).delete(key);
    await world.clock.settle();
    expect(world.api.store.list("/v1/configmaps")).toEqual([]);
    expect(world.api.store.list("example.com/v1/widgets")).toEqual([]);
  });

  it("leaves an object alone that is being deleted and not held by it", async () => {
    const world = managedWorld();
    const widgets = world.api.client().of(Widget);
    await widgets.create({ metadata: { ...key, finalizers: ["example.com/other"] }, spec: { parts: 1 } });
    await widgets.delete(key);
    const before = world.api.writes.length;
    await world.start(
      defineController({ name: "widgets", for: Widget, owns: [ConfigMap], reconcile: reconcileWidget }),
    );
    expect(world.api.writes).toHaveLength(before);
  });
});
