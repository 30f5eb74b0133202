import { notFound, seededRandom, VirtualClock } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryApi } from "../testing/memory-api.ts";
import { createInformers } from "./create-informers.ts";

function world() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const informers = createInformers({ client: api.client(), clock, random: seededRandom(1) });
  const informer = informers.of(ConfigMap);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const put = (name: string, value: string) =>
    api
      .client()
      .of(ConfigMap)
      .apply({ metadata: { namespace: "a", name }, data: { value } }, { fieldManager: "test", force: true });
  const start = async (): Promise<void> => {
    void informers.run(stop.signal);
    await clock.runUntil(informer.synced());
    await clock.settle();
  };
  return { clock, api, informers, informer, put, start, stop };
}

describe("an index function that throws", () => {
  it("costs nothing but that the object is not found by it, until it is fixed", async () => {
    const { clock, informer, put, start } = world();
    informer.addIndex("value", ({ data }) => {
      if (data?.["value"] === "bad") throw new Error("cannot say");
      return [data?.["value"] ?? ""];
    });
    const events: string[] = [];
    informer.onEvent(({ type, object }) => events.push(`${type} ${object.metadata.name}`));
    for (let index = 0; index < 10; index++) await put(`bad-${index}`, "bad");
    await put("good", "fine");
    const before = clock.monotonic();
    await start();
    expect(clock.monotonic() - before).toBeLessThan(100);
    expect(events).toHaveLength(11);
    expect(informer.byIndex("value", "fine")).toHaveLength(1);
    await put("bad-3", "fine");
    await put("good", "bad");
    await clock.settle();
    expect(informer.byIndex("value", "fine").map(({ metadata }) => metadata.name)).toEqual(["bad-3"]);
    expect(events.slice(11)).toEqual(["updated bad-3", "updated good"]);
  });

  it("may say something else of the same object later", async () => {
    const { clock, api, informer, put, start } = world();
    let calls = 0;
    informer.addIndex("call", () => [String(calls++)]);
    await put("one", "x");
    await start();
    await api.client().of(ConfigMap).delete({ namespace: "a", name: "one" });
    await clock.settle();
    expect(["0", "1", "2"].flatMap((value) => informer.byIndex("call", value))).toEqual([]);
  });
});

describe("a handler", () => {
  it("that is registered inside a handler is told once of each object", async () => {
    const { clock, informer, put, start } = world();
    await start();
    const inner: string[] = [];
    let isFirst = true;
    informer.onEvent(() => {
      if (isFirst) informer.onEvent(({ type, object }) => inner.push(`${type} ${object.metadata.name}`));
      isFirst = false;
    });
    await put("one", "1");
    await put("two", "2");
    await clock.settle();
    expect(inner).toEqual(["added one", "added two"]);
  });
});

describe("a server", () => {
  it("that ends every watch at once, with events, is asked about once a second", async () => {
    const { clock, api, put, start } = world();
    await put("one", "1");
    await start();
    const before = api.requests.length;
    const end = clock.monotonic() + 20_000;
    let value = 1;
    while (clock.monotonic() < end) {
      await put("one", String(value++));
      await clock.settle();
      api.cutWatches("end");
      await clock.advance(100);
    }
    const watches = api.requests.slice(before).filter(({ query }) => query.get("watch") === "true");
    expect(watches.length).toBeGreaterThan(10);
    expect(watches.length).toBeLessThan(45);
  });

  it("that was too slow once to tell all in one stream is asked for that again", async () => {
    const { clock, api, put, start } = world();
    await put("one", "1");
    api.initialEvents = "ignore";
    await start();
    api.initialEvents = "serve";
    const before = api.requests.length;
    // While nobody watches, so that the version where we stand is too old.
    api.cutWatches();
    await put("one", "2");
    api.store.forget();
    await clock.advance(10_000);
    expect(api.requests.slice(before).map(({ query }) => query.get("sendInitialEvents"))).toContain("true");
  });

  it("that does not know a kind yet is asked again within two seconds, however long it takes", async () => {
    const { clock, api, informers, informer, stop } = world();
    let isThere = false;
    api.onRequest = () => {
      if (!isThere) throw notFound({ group: "", plural: "configmaps" }, "");
    };
    void informers.run(stop.signal);
    await clock.advance(30 * 60_000);
    expect(informer.isSynced).toBe(false);
    isThere = true;
    await clock.advance(2000);
    expect(informer.isSynced).toBe(true);
  });
});
