import { forbidden, realClock, realRandom } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import { brokenServer, MemoryApi } from "../testing/memory-api.ts";
import { managedWorld } from "../testing/run-manager.ts";
import { Widget } from "../testing/widget.ts";
import { createManager } from "./create-manager.ts";

const idle = (name = "widgets") =>
  defineController({ name, for: Widget, reconcile: () => Promise.resolve(undefined) });

describe("a manager", () => {
  it("starts caches before controllers and tasks, and stops them after those", async () => {
    const world = managedWorld();
    const order: string[] = [];
    world.manager.addTask("mine", async (signal) => {
      order.push(`task begins, unsynced: ${world.manager.informers.unsynced().length}`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      order.push(`task ends, watches: ${world.api.openWatches}`);
    });
    await world.start(idle());
    await world.stop();
    expect(order).toEqual(["task begins, unsynced: 0", "task ends, watches: 1"]);
    expect(world.api.openWatches).toBe(0);
    expect(world.clock.pending().timers).toBe(0);
  });

  it("starts who has what it looks at, whatever else cannot be read", async () => {
    const world = managedWorld();
    const client = world.api.client();
    let isForbidden = true;
    world.api.onRequest = ({ path }) => {
      if (isForbidden && path.endsWith("/configmaps"))
        throw forbidden({ group: "", plural: "configmaps" }, "", "no");
    };
    const runs: string[] = [];
    const run = (name: string) => async () => {
      runs.push(name);
      return Promise.resolve(undefined);
    };
    await client.of(Widget).create({ metadata: { namespace: "a", name: "one" }, spec: { parts: 1 } });
    world.manager.add(
      defineController({ name: "held", for: Widget, owns: [ConfigMap], reconcile: run("held") }),
    );
    world.manager.add(defineController({ name: "free", for: Widget, reconcile: run("free") }));
    const end = new AbortController();
    const running = world.manager.run(end.signal);
    await world.clock.advance(60_000);
    expect(runs).toEqual(["free"]);
    isForbidden = false;
    await world.clock.advance(2000);
    expect(runs).toEqual(["free", "held"]);
    end.abort();
    await world.clock.runUntil(running);
  });

  it("stops with the error of a part that failed", async () => {
    const world = managedWorld();
    world.manager.addTask("bad", () => Promise.reject(new Error("task broke")));
    await world.start(idle());
    await expect(world.stop()).rejects.toThrow("task broke");
    expect(world.api.openWatches).toBe(0);
  });

  it("stops while it waits for caches that do not fill", async () => {
    const world = managedWorld();
    world.api.onRequest = () => brokenServer();
    const end = new AbortController();
    world.manager.add(idle());
    const run = world.manager.run(end.signal);
    const ready = world.manager.ready();
    ready.catch(() => undefined);
    await world.clock.advance(30_000);
    expect(world.logs).toContain("warn Waiting for caches to fill");
    expect(world.manager.informers.unsynced()).toEqual(["example.com/v1/widgets"]);
    end.abort();
    await world.clock.runUntil(run);
    await expect(ready).rejects.toThrow("it has stopped");
  });

  it("leaves behind what does not end within the grace period", async () => {
    const world = managedWorld();
    world.manager.addTask("deaf", () => new Promise(() => undefined));
    await world.start();
    const before = world.clock.monotonic();
    await world.stop();
    expect(world.clock.monotonic() - before).toBe(30_000);
    expect(world.logs).toContain("error Some parts did not end in time and were left behind");
  });

  it("writes the last events before it ends", async () => {
    const world = managedWorld();
    await world.start();
    const subject = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "a" } };
    world.manager.events.record(subject, { reason: "Bye", message: "x" });
    await world.stop();
    expect(world.api.store.list("/v1/events")).toHaveLength(1);
  });

  it("refuses two of one name, and to change while it runs", async () => {
    const world = managedWorld();
    await world.start(idle());
    expect(() => world.manager.add(idle("other"))).toThrow(/it runs already/);
    const other = managedWorld();
    other.manager.add(idle());
    expect(() => other.manager.add(idle())).toThrow(/there is a controller of this name/);
  });

  it("shows its controllers' writes to its caches at once", async () => {
    const world = managedWorld();
    const maps = world.manager.informers.of(ConfigMap);
    await world.start();
    await world.manager.client.of(ConfigMap).create({ metadata: { namespace: "a", name: "x" } });
    expect(maps.list()).toHaveLength(1);
  });
});

it("serves probes and metrics", async () => {
  const api = new MemoryApi(realClock);
  const manager = createManager({
    client: api.client(),
    clock: realClock,
    random: realRandom,
    name: "served",
    health: { port: 0 },
    metrics: { port: 0, host: "127.0.0.1" },
  });
  let reason: string | undefined = "not yet";
  manager.addReadyCheck("mine", () => reason);
  manager.add(idle());
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  await manager.ready();
  await api
    .client()
    .of(Widget)
    .create({ metadata: { namespace: "a", name: "x" }, spec: { parts: 1 } });
  const get = async (port: number | undefined, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port ?? 0}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  const health = manager.healthAddress?.port;
  // A probe comes from the pod's node: all addresses, unless one is named.
  expect(["::", "0.0.0.0"]).toContain(manager.healthAddress?.host);
  expect(manager.metricsAddress?.host).toBe("127.0.0.1");
  expect(await get(health, "/healthz")).toEqual({ status: 200, text: "ok" });
  expect(await get(health, "/livez")).toEqual({ status: 200, text: "ok" });
  const notReady = await get(health, "/readyz");
  expect(notReady.status).toBe(503);
  expect(notReady.text).toContain("[-]mine failed: not yet");
  reason = undefined;
  expect(await get(health, "/readyz")).toEqual({ status: 200, text: "ok" });
  expect((await get(health, "/readyz/mine?verbose")).text).toContain("[+]mine ok");
  expect((await get(health, "/nothing")).status).toBe(404);
  const post = await fetch(`http://127.0.0.1:${health ?? 0}/healthz`, { method: "POST" });
  expect(post.status).toBe(405);
  await expect
    .poll(async () => (await get(manager.metricsAddress?.port, "/metrics")).text)
    .toContain('controller_runtime_reconcile_total{controller="widgets",result="success"} 1');
  const { text } = await get(manager.metricsAddress?.port, "/metrics");
  expect(text).toContain('workqueue_adds_total{name="widgets",controller="widgets"} 1');
  expect(text).toContain('workqueue_unfinished_work_seconds{name="widgets",controller="widgets"} 0');
  stop.abort();
  await run;
  await expect(fetch(`http://127.0.0.1:${health ?? 0}/healthz`)).rejects.toThrow("fetch failed");
});
