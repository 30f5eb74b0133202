import {
  keyToString,
  notFound,
  VirtualClock,
  seededRandom,
  selectorFromLabels,
  serviceUnavailable,
} from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { brokenServer, MemoryApi } from "../testing/memory-api.ts";
import { createInformers } from "./create-informers.ts";
import { byController, type Informer, type InformerEvent, type InformerOptions } from "./types.ts";

/** A server with some ConfigMaps, and an informer of them that has not started. */
async function world(options: InformerOptions & { namespaces?: readonly string[] } = {}) {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const client = api.client();
  const { namespaces, ...selection } = options;
  const informers = createInformers({ client, clock, random: seededRandom(1), namespaces });
  const seen = informers.seeWritesOf(client);
  const informer = informers.of(ConfigMap, selection);
  const events: string[] = [];
  informer.onEvent((event) => events.push(textOf(event)));
  const stop = new AbortController();
  const run = { ended: false };
  const start = async (): Promise<void> => {
    void informers.run(stop.signal).then(() => (run.ended = true));
    await clock.runUntil(informer.synced());
    await clock.settle();
  };
  onTestFinished(() => stop.abort());
  const put = async (name: string, value: string, namespace = "a", labels: Record<string, string> = {}) => {
    const object = { metadata: { name, namespace, labels }, data: { value } };
    await client.of(ConfigMap).apply(object, { fieldManager: "test", force: true });
  };
  const remove = (name: string, namespace = "a") => client.of(ConfigMap).delete({ name, namespace });
  const equalsServer = (): void => expect(contentOf(informer)).toEqual(serverContent(api));
  return {
    clock,
    api,
    client,
    seen,
    informers,
    informer,
    events,
    start,
    stop,
    run,
    put,
    remove,
    equalsServer,
  };
}

function textOf(event: InformerEvent<ConfigMap>): string {
  const { metadata, data } = event.object;
  const initial = event.type === "added" && event.initial ? " (initial)" : "";
  return `${event.type} ${keyToString(metadata)}=${data?.["value"] ?? ""}${initial}`;
}

function contentOf(informer: Informer<ConfigMap>): Record<string, string> {
  return Object.fromEntries(
    informer.list().map(({ metadata }) => [keyToString(metadata), metadata.resourceVersion] as const),
  );
}

function serverContent(api: MemoryApi): Record<string, string> {
  return Object.fromEntries(
    api.store.list("/v1/configmaps").map(({ metadata }) => [keyToString(metadata), metadata.resourceVersion]),
  );
}

describe("an informer", () => {
  it("shows what exists, then every change, in order", async () => {
    const { start, put, remove, events, clock, informer } = await world();
    await put("one", "1");
    await put("two", "1");
    await start();
    await put("two", "2");
    await put("three", "1");
    await remove("one");
    await clock.settle();
    expect(events).toEqual([
      "added a/one=1 (initial)",
      "added a/two=1 (initial)",
      "updated a/two=2",
      "added a/three=1",
      "deleted a/one=1",
    ]);
    expect(informer.get({ namespace: "a", name: "two" })?.data).toEqual({ value: "2" });
    expect(informer.get({ namespace: "a", name: "one" })).toBeUndefined();
  });

  it("is synced only when what existed has been handed out", async () => {
    const { informer, events, start, put } = await world();
    await put("one", "1");
    expect(informer.isSynced).toBe(false);
    const atSync = informer.synced().then(() => [...events]);
    await start();
    expect(await atSync).toEqual(["added a/one=1 (initial)"]);
    expect(informer.isSynced).toBe(true);
  });

  it("is synced when there is nothing", async () => {
    const { informer, start, put, clock, events } = await world();
    await start();
    expect(informer.list()).toEqual([]);
    await put("one", "1");
    await clock.settle();
    expect(events).toEqual(["added a/one=1"]);
  });

  it("gives late handlers what is there", async () => {
    const { informer, start, put } = await world();
    await put("one", "1");
    await start();
    const late: string[] = [];
    const end = informer.onEvent((event) => late.push(textOf(event)));
    end();
    await put("one", "2");
    expect(late).toEqual(["added a/one=1 (initial)"]);
  });

  it("hands out frozen objects without managedFields, and keeps the fields of the managers that it was told", async () => {
    const { informers, informer, start, put } = await world();
    informers.keepFieldsOf("test");
    await put("one", "1");
    await start();
    const key = { namespace: "a", name: "one" };
    const object = informer.get(key);
    expect(Object.isFrozen(object?.data)).toBe(true);
    expect(object?.metadata).not.toHaveProperty("managedFields");
    expect(JSON.parse(informer.appliedBy(key, "test")?.fields ?? "")).toEqual({
      "f:data": { "f:value": {} },
      "f:metadata": { "f:labels": {} },
    });
    expect(informer.appliedBy(key, "other")).toBeUndefined();
  });

  it("is shared by all that ask for the same", async () => {
    const { informers, informer } = await world();
    expect(informers.of(ConfigMap)).toBe(informer);
    expect(informers.of(ConfigMap, { namespace: "a" })).not.toBe(informer);
  });

  it("starts by itself when the others run already", async () => {
    const { informers, start, put, clock } = await world();
    await put("one", "1", "b");
    await start();
    const late = informers.of(ConfigMap, { namespace: "b" });
    await clock.runUntil(late.synced());
    expect(late.list()).toHaveLength(1);
  });

  it("ends with its signal", async () => {
    const { start, stop, run, clock, api } = await world();
    await start();
    stop.abort();
    await clock.settle();
    expect(run.ended).toBe(true);
    expect(api.openWatches).toBe(0);
    expect(clock.pending().timers).toBe(0);
  });
});

describe("reads", () => {
  it("finds by namespace, labels, controller and index", async () => {
    const { informer, start, put, client } = await world();
    informer.addIndex("value", ({ data }) => Object.values(data ?? {}));
    await put("one", "1", "a", { app: "x" });
    await put("two", "2", "b", { app: "x" });
    await client.of(ConfigMap).create({
      metadata: {
        name: "three",
        namespace: "b",
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1" as never, controller: true },
        ],
      },
      data: { value: "2" },
    });
    await start();
    const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name);
    expect(names(informer.list({ namespace: "b" }))).toEqual(["two", "three"]);
    expect(names(informer.list({ selector: selectorFromLabels({ app: "x" }) }))).toEqual(["one", "two"]);
    expect(names(informer.byIndex("value", "2"))).toEqual(["two", "three"]);
    expect(names(informer.byIndex(byController, "u-1"))).toEqual(["three"]);
    await put("two", "3", "b");
    await put("nothing", "", "c");
    expect(() => informer.byIndex("nope", "")).toThrow(/there is none of this name/);
  });

  it("keeps indexes right over changes and deletions", async () => {
    const { informer, start, put, remove, clock } = await world();
    await put("one", "1");
    await start();
    informer.addIndex("value", ({ data }) => Object.values(data ?? {}));
    expect(informer.byIndex("value", "1")).toHaveLength(1);
    await put("one", "2");
    await clock.settle();
    expect(informer.byIndex("value", "1")).toHaveLength(0);
    expect(informer.byIndex("value", "2")).toHaveLength(1);
    await remove("one");
    await clock.settle();
    expect(informer.byIndex("value", "2")).toHaveLength(0);
    expect(informer.list({ namespace: "a" })).toHaveLength(0);
  });
});

describe("selections", () => {
  it("watches several namespaces behind one informer, and no others", async () => {
    const { informer, start, put, remove, clock, api, events } = await world({ namespaces: ["a", "b"] });
    await put("one", "1", "a");
    await put("one", "1", "b");
    await put("one", "1", "c");
    await start();
    expect(Object.keys(contentOf(informer))).toEqual(["a/one", "b/one"]);
    expect(api.openWatches).toBe(2);
    events.length = 0;
    // A relist of one namespace says nothing about the other.
    api.cutWatches();
    await remove("one", "a");
    api.store.forget();
    await clock.runUntil(() => events.length > 0);
    await clock.advance(60_000);
    expect(events).toEqual(["deleted a/one=1"]);
  });

  it("forgets what does not match any more, also after our own write", async () => {
    const { informer, start, put, seen, clock, api, events } = await world({ labelSelector: { app: "x" } });
    await put("one", "1", "a", { app: "x" });
    await put("two", "1", "a", { app: "y" });
    await start();
    expect(Object.keys(contentOf(informer))).toEqual(["a/one"]);
    api.hold();
    await put("one", "2", "a", { app: "x" });
    const patch = { merge: { metadata: { labels: { app: "z" } } } };
    await seen.of(ConfigMap).patch({ namespace: "a", name: "one" }, patch);
    expect(informer.list()).toEqual([]);
    api.release();
    await clock.settle();
    expect(events).toEqual(["added a/one=1 (initial)", "deleted a/one=1"]);
    await put("one", "3", "a", { app: "x" });
    await clock.settle();
    expect(informer.list()).toHaveLength(1);
  });
});

describe("faults", () => {
  it.each(["break", "end"] as const)("goes on where it was when watches %s", async (how) => {
    const { start, put, remove, api, clock, events, equalsServer } = await world();
    await put("one", "1");
    await start();
    events.length = 0;
    const lists = api.requests.length;
    api.cutWatches(how);
    await put("two", "1");
    await remove("one");
    await clock.runUntil(() => events.length === 2, { limit: 5000 });
    expect(events).toEqual(["added a/two=1", "deleted a/one=1"]);
    equalsServer();
    const reads = api.requests.slice(lists).filter(({ method }) => method === "GET");
    expect(reads.map(({ query }) => query.get("sendInitialEvents"))).toEqual([null]);
  });

  it("reads everything again when the server has forgotten, and tells what it missed", async () => {
    const { start, put, remove, api, clock, events, equalsServer } = await world();
    await put("one", "1");
    await put("two", "1");
    await put("three", "1");
    await start();
    events.length = 0;
    api.cutWatches();
    await put("two", "2");
    await remove("one");
    await put("four", "1");
    api.store.forget();
    const begin = clock.monotonic();
    await clock.runUntil(() => events.length === 3, { limit: 10_000 });
    expect(events.toSorted()).toEqual(["added a/four=1", "deleted a/one=1", "updated a/two=2"]);
    equalsServer();
    // One pause, after the cut: a server that has forgotten a version has answered.
    expect(clock.monotonic() - begin).toBeLessThan(1601);
  });

  it("tells of an object that was made again as of two", async () => {
    const { start, put, remove, api, clock, events } = await world();
    await put("one", "1");
    await start();
    events.length = 0;
    api.cutWatches();
    await remove("one");
    await put("one", "2");
    api.store.forget();
    await clock.runUntil(() => events.length === 2, { limit: 10_000 });
    expect(events).toEqual(["deleted a/one=1", "added a/one=2"]);
  });

  it.each(["refuse", "ignore"] as const)(
    "lists where servers %s to begin a watch with what exists",
    async (what) => {
      const { start, put, api, clock, events, equalsServer } = await world();
      api.initialEvents = what;
      await put("one", "1");
      await start();
      await put("two", "1");
      await clock.settle();
      expect(events).toEqual(["added a/one=1 (initial)", "added a/two=1"]);
      equalsServer();
      expect(api.requests.some(({ method, query }) => method === "GET" && query.get("limit") === "500")).toBe(
        true,
      );
    },
  );

  it("never gives up, and asks ever more rarely", async () => {
    const { start, put, api, clock, equalsServer } = await world();
    await put("one", "1");
    await start();
    await clock.advance(1000);
    const times: number[] = [];
    api.onRequest = ({ method }) => {
      if (method !== "GET") return;
      times.push(clock.monotonic());
      brokenServer();
    };
    api.cutWatches();
    await clock.advance(600_000);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses[0]).toBeGreaterThanOrEqual(1600);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
    expect(Math.min(...pauses.slice(5))).toBeGreaterThanOrEqual(30_000);
    expect(times.length).toBeLessThan(25);
    api.onRequest = undefined;
    await put("two", "1");
    await clock.advance(60_000);
    equalsServer();
  });

  it("asks soon again for a kind that is just being installed, and ever more rarely for one that is not", async () => {
    const { informer, informers, stop, api, clock } = await world();
    let isInstalled = false;
    const times: number[] = [];
    api.onRequest = () => {
      times.push(clock.monotonic());
      if (!isInstalled) throw notFound(ConfigMap, "");
    };
    const running = informers.run(stop.signal);
    await clock.advance(10_000);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses[0]).toBeLessThanOrEqual(100);
    expect(Math.min(...pauses.slice(4))).toBeGreaterThanOrEqual(800);
    isInstalled = true;
    await clock.advance(1600);
    expect(informer.isSynced).toBe(true);
    stop.abort();
    await clock.runUntil(running);
  });

  it("does not hammer a server that ends every watch at once", async () => {
    const { start, api, clock } = await world();
    await start();
    api.onRequest = ({ query }) => {
      if (query.get("watch") === "true") void Promise.resolve().then(() => macroCut(api));
    };
    api.cutWatches("end");
    const before = api.requests.length;
    await clock.advance(60_000);
    expect(api.requests.length - before).toBeLessThan(12);
  });

  it("replaces a watch that has gone silent", async () => {
    const { start, put, api, clock, equalsServer } = await world();
    await start();
    api.hold();
    await put("one", "1");
    await clock.advance(89_000);
    const before = api.requests.length;
    await clock.advance(2000);
    expect(api.requests.length).toBeGreaterThan(before);
    equalsServer();
  });

  it("keeps a quiet watch that sends bookmarks, and goes on from the last one", async () => {
    const { start, api, clock, put, client } = await world();
    await start();
    const before = api.requests.length;
    for (let minute = 0; minute < 4; minute++) {
      // The version moves by other kinds' changes.
      await client
        .of({ ...ConfigMap, plural: "others" })
        .create({ metadata: { name: `x${minute}`, namespace: "a" } });
      api.bookmark();
      await clock.advance(60_000);
    }
    expect(api.requests.slice(before).filter(({ method }) => method === "GET")).toHaveLength(0);
    const version = String(api.store.version);
    api.cutWatches();
    api.store.forget();
    await clock.advance(5000);
    expect(api.requests.at(-1)?.query.get("resourceVersion")).toBe(version);
    await put("one", "1");
  });

  it("follows a server whose storage was set back", async () => {
    const { start, put, api, clock, informer, equalsServer } = await world();
    await put("one", "1");
    const restore = api.store.snapshot();
    await start();
    await put("one", "2");
    await put("two", "1");
    await clock.settle();
    expect(informer.list()).toHaveLength(2);
    restore();
    // Real servers answer so to a version that they have not reached.
    api.onRequest = ({ query }) => {
      if (Number(query.get("resourceVersion")) <= api.store.version) return;
      throw Object.assign(serviceUnavailable("x"), {
        status: {
          ...serviceUnavailable("x").status,
          details: { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }] },
        },
      });
    };
    api.cutWatches();
    await clock.advance(30_000);
    equalsServer();
    expect(informer.list()).toHaveLength(1);
  });

  it("does not let one handler's fault reach another", async () => {
    const { informer, start, put, events } = await world();
    informer.onEvent(() => {
      throw new Error("mine");
    });
    await put("one", "1");
    await start();
    expect(events).toEqual(["added a/one=1 (initial)"]);
  });
});

/** After the watch has been opened. */
function macroCut(api: MemoryApi): void {
  api.cutWatches("end");
}
