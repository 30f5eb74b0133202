import { forbidden, seededRandom, VirtualClock } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { expect, it, onTestFinished } from "vitest";
import { brokenServer, MemoryApi } from "../testing/memory-api.ts";
import { Widget } from "../testing/widget.ts";
import { createManager } from "./create-manager.ts";
import { deadWatches } from "./dead-watches.ts";

/** A manager that looks at two kinds in virtual time, whose probes are asked over a real socket. */
async function world() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const random = seededRandom("manager");
  const manager = createManager({ client: api.client(), clock, random, name: "probed", health: { port: 0 } });
  manager.informers.of(ConfigMap);
  manager.informers.of(Widget);
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const run = manager.run(end.signal);
  run.catch(() => undefined);
  await expect.poll(() => manager.healthAddress).toBeDefined();
  await clock.runUntil(manager.ready());
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${manager.healthAddress?.port ?? 0}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return { clock, api, get };
}

const widgetsForbidden = ({ path }: { readonly path: string }): void => {
  if (path.endsWith("/widgets"))
    throw forbidden({ group: "example.com", plural: "widgets" }, "", "no\nlonger");
};

it("a kind that cannot be watched any more is named by /readyz after a minute, until it can be", async () => {
  const { clock, api, get } = await world();
  api.onRequest = widgetsForbidden;
  api.cutWatches();
  await clock.advance(50_000);
  expect(await get("/readyz")).toEqual({ status: 200, text: "ok" });
  await clock.advance(20_000);
  const dead = await get("/readyz");
  expect(dead.status).toBe(503);
  expect(dead.text).toMatch(
    /^\[-\]watches failed: example\.com\/v1\/widgets for \d\d s: .*forbidden.*no longer$/mu,
  );
  expect(dead.text).not.toContain("configmaps");
  expect((await get("/livez")).status).toBe(200);
  api.onRequest = undefined;
  await clock.advance(5000);
  expect(await get("/readyz")).toEqual({ status: 200, text: "ok" });
});

it("a watch that the server agrees to and breaks at once is no better than one that it refuses", async () => {
  const { clock, api, get } = await world();
  for (let seconds = 0; seconds < 200; seconds += 1) {
    api.cutWatches();
    await clock.advance(500);
  }
  api.cutWatches();
  await clock.settle();
  expect((await get("/readyz")).text).toContain("v1/configmaps for ");
});

it("an outage of the whole server is one of readiness, never of liveness", async () => {
  const { clock, api, get } = await world();
  api.onRequest = () => brokenServer();
  api.cutWatches();
  await clock.advance(600_000);
  for (const path of ["/livez", "/healthz"]) expect(await get(path)).toEqual({ status: 200, text: "ok" });
  const { status, text } = await get("/readyz");
  expect(status).toBe(503);
  expect(text).toMatch(/v1\/configmaps for \d+ s: .*; example\.com\/v1\/widgets for \d+ s: /u);
});

it("watches that end in good order, or have nothing to tell, are not dead", async () => {
  const { clock, api, get } = await world();
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await clock.advance(60_000);
    api.cutWatches(minutes % 2 === 0 ? "end" : "break");
    await clock.advance(5000);
  }
  expect(await get("/readyz")).toEqual({ status: 200, text: "ok" });
});

it("names the namespace, and cuts what is too long", () => {
  const watch = { name: "v1/pods", namespace: "shop", since: 0, why: "x".repeat(1000) };
  expect(deadWatches([watch], 60_000)).toBeUndefined();
  expect(deadWatches([watch], 61_000)).toBe(`v1/pods in shop for 61 s: ${"x".repeat(300)}`);
});
