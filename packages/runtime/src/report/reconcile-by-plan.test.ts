import { conflict, forbidden, type Clock, type ObjectKey } from "@kedge/machinery";
import { ConfigMap, Event } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import type { ReconcileContext } from "../controller/types.ts";
import type { Cached } from "../informer/types.ts";
import type { SeenRequest } from "../testing/memory-api.ts";
import { managedWorld, type ManagedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { applyChild, deleteChild } from "./child-actions.ts";
import { phaseEvents, type PhaseReport } from "./phase-report.ts";
import { reconcileByPlan, type Plan, type Report, type ReportFacts } from "./reconcile-by-plan.ts";
import { refusalText } from "./refusal.ts";
import { reportConditions } from "./report-conditions.ts";

const finalizer = "example.com/widgets";
const key: ObjectKey & { namespace: string } = { namespace: "a", name: "one" };

interface Observed {
  readonly widget: Cached<Widget>;
  readonly part: Cached<ConfigMap> | undefined;
}

/** A small operator: a widget has a part, which goes before it; more than three parts are refused. */
const parts = {
  kind: Widget,
  finalizer,
  resync: 60_000,
  observe: (context: ReconcileContext<Widget>, widget: Cached<Widget>): Observed => ({
    widget,
    part: context.read(ConfigMap).get(key),
  }),
  plan({ widget, part }: Observed): Plan {
    if (widget.metadata.deletionTimestamp !== undefined) {
      return part === undefined
        ? { actions: [], release: true }
        : { actions: [deleteChild(ConfigMap, part.metadata)] };
    }
    if (widget.spec.parts > 3) {
      return { actions: [], refusals: [{ field: "spec.parts", message: "must be at most 3" }] };
    }
    return { actions: [applyChild(ConfigMap, { metadata: { name: key.name }, data: {} })] };
  },
  report(facts: ReportFacts<Observed>, clock: Pick<Clock, "now">): Report<Widget> {
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
};
const reconcileWidget = reconcileByPlan(parts);

function phaseOf({ refusals, failure }: ReportFacts<Observed>): PhaseReport {
  if (failure !== undefined) return { phase: "Failed", ready: false, ...failure };
  return refusals.length > 0
    ? { phase: "Failed", ready: false, reason: "SpecRefused", message: refusalText(refusals) }
    : { phase: "Running", ready: true, reason: "AllThere", message: "All is there." };
}

async function worldWith(
  count: number,
  onRequest?: (request: SeenRequest) => void,
  reconcile = reconcileWidget,
): Promise<ManagedWorld> {
  const world = managedWorld();
  await world.api
    .client()
    .of(Widget)
    .create({ metadata: key, spec: { parts: count } });
  world.api.onRequest = onRequest;
  await world.start(defineController({ name: "widgets", for: Widget, owns: [ConfigMap], reconcile }));
  return world;
}

const runsOf = ({ logs }: ManagedWorld): number => logs.filter((line) => line === "debug Planned").length;

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
    const before = { runs: runsOf(world), writes: world.api.writes.length };
    await world.clock.advance(60_000);
    expect(runsOf(world)).toBe(before.runs + 1);
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
    expect(runsOf(world)).toBeGreaterThan(1);
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

  it("holds an object before it does anything else, and then goes on", async () => {
    const world = await worldWith(1);
    expect(world.api.writes.slice(0, 3)).toEqual([
      expect.stringMatching(/^POST .*\/widgets/u),
      expect.stringMatching(/^PATCH .*\/widgets\/one$/u),
      expect.stringMatching(/^PATCH .*\/configmaps\/one$/u),
    ]);
    expect(runsOf(world)).toBeLessThanOrEqual(2);
  });

  it("does nothing for an object that it could not hold", async () => {
    const world = await worldWith(1, ({ method, path }) => {
      if (method === "PATCH" && path.includes("/widgets/")) throw forbidden(Widget, "one", "no finalizers");
    });
    expect(world.api.store.list("/v1/configmaps")).toEqual([]);
  });

  it("puts no finalizer on objects that need no clean-up, and leaves them alone once they are being deleted", async () => {
    const { finalizer: _none, ...rest } = parts;
    const world = await worldWith(1, undefined, reconcileByPlan(rest));
    expect((await widgetOf(world)).metadata.finalizers).toBeUndefined();
    const widgets = world.api.client().of(Widget);
    await widgets.patch(key, { merge: { metadata: { finalizers: ["example.com/other"] } } });
    await widgets.delete(key);
    const before = runsOf(world);
    await world.clock.advance(120_000);
    expect(runsOf(world)).toBe(before);
  });

  it("looks again when the plan says so, and at the resync if that is sooner", async () => {
    let again: number | undefined = 2000;
    const reconcile = reconcileByPlan({
      ...parts,
      plan: () => ({ actions: [], ...(again !== undefined && { again }) }),
    });
    const world = await worldWith(1, undefined, reconcile);
    const runsWithin = async (ms: number): Promise<number> => {
      const before = runsOf(world);
      await world.clock.advance(ms);
      return runsOf(world) - before;
    };
    expect(await runsWithin(10_000)).toBe(5);
    again = 600_000;
    await runsWithin(2000);
    expect(await runsWithin(120_000)).toBe(2);
    again = Number.NaN;
    await runsWithin(60_000);
    expect(await runsWithin(120_000)).toBe(2);
  });

  it("waits for what observe asks elsewhere, no longer than a run may take", async () => {
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    const hung: string[] = [];
    const observe = async (context: ReconcileContext<Widget>, widget: Cached<Widget>): Promise<Observed> => {
      const end = Promise.withResolvers<never>();
      context.signal.addEventListener("abort", () => end.reject(context.signal.reason), { once: true });
      await Promise.race([asked, end.promise]).catch((error: unknown) => {
        hung.push(String(error));
        throw error;
      });
      return parts.observe(context, widget);
    };
    const world = await worldWith(1, undefined, reconcileByPlan({ ...parts, observe }));
    await world.clock.advance(119_000);
    expect(hung).toEqual([]);
    await world.clock.advance(2000);
    expect(hung).toHaveLength(1);
    answer();
    await world.clock.advance(10_000);
    expect((await widgetOf(world)).status?.phase).toBe("Running");
  });

  it("leaves to act what is neither applied nor deleted, and names what nobody does", async () => {
    const plan = (): Plan<{ readonly type: "polish" }> => ({ actions: [{ type: "polish" }] });
    const done: string[] = [];
    const act = (action: { readonly type: "polish" }): Promise<void> => {
      done.push(action.type);
      return Promise.resolve();
    };
    await worldWith(1, undefined, reconcileByPlan({ ...parts, plan, act }));
    expect(done).toContain("polish");
    const world = await worldWith(1, undefined, reconcileByPlan({ ...parts, plan }));
    const [ready] = (await widgetOf(world)).status?.conditions ?? [];
    expect(ready?.message).toContain("polish");
  });

  it("asks once where nothing is done", async () => {
    let observed = 0;
    const observe = (context: ReconcileContext<Widget>, widget: Cached<Widget>): Observed => {
      observed++;
      return parts.observe(context, widget);
    };
    const world = await worldWith(9, undefined, reconcileByPlan({ ...parts, observe }));
    expect(observed).toBe(runsOf(world));
  });
});
