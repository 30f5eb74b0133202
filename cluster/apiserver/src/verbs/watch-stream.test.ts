import { silentLogger, Turns, VirtualClock, type Clock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { describe, expect, it, vi } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { selectionOf } from "../request/selection.ts";
import { Storage } from "../storage/storage.ts";
import { WatchStream, type WatchPlan } from "./watch-stream.ts";

const value = Buffer.from('{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}');

describe("a watch", () => {
  it("is woken by the events of its own resource, and by no others", async () => {
    const clock = new VirtualClock();
    const { storage, plan } = await started(clock);
    storage.cache("configmaps");
    const looked = vi.spyOn(plan.cache, "eventAt");
    const stream = new WatchStream(plan);
    const next = stream.next();
    await clock.settle();
    looked.mockClear();
    await storage.write({ key: "/registry/configmaps/default/a", expected: 0, value });
    await clock.settle();
    expect(looked).not.toHaveBeenCalled();
    await storage.write({ key: "/registry/pods/default/a", expected: 0, value });
    expect(Buffer.from((await next).value ?? []).toString()).toBe("ADDED Pod");
    await stream.return();
    await storage.close();
  });

  it("of a node's pods is not woken by those of others, and falls behind none of them", async () => {
    const clock = new VirtualClock();
    const { storage, plan } = await started(clock);
    const query = new URLSearchParams({ fieldSelector: "spec.nodeName=mine" });
    const stream = new WatchStream({ ...plan, selection: selectionOf(query, plan.resource) });
    let isWoken = false;
    const next = stream.next().then((result) => {
      isWoken = true;
      return Buffer.from(result.value ?? []).toString();
    });
    await clock.settle();
    // More than a watch could have missed without being ended.
    for (let at = 0; at < 10_500; at++) await put(storage, `other-${at % 50}`, "other");
    await clock.settle();
    expect(isWoken).toBe(false);
    await put(storage, "labelled", "other", '"labels":{"nodeName":"mine"},');
    await put(storage, "a", "mine");
    expect(await next).toBe("ADDED Pod");
    await put(storage, "a", "other");
    expect(Buffer.from((await stream.next()).value ?? []).toString()).toBe("DELETED Pod");
    await stream.return();
    await storage.close();
  });

  it("of a kind that is converted ends when what it has yet to show is forgotten", async () => {
    const clock = new VirtualClock();
    const { storage, plan } = await started(clock);
    vi.spyOn(plan.cache, "eventAt").mockReturnValue("forgotten");
    const converter = { convert: () => Promise.reject(new Error("nothing to convert")) };
    const stream = new WatchStream({ ...plan, resource: { ...plan.resource, converter } as never });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await storage.close();
  });

  it.each([
    ["whose client had gone before it began", { signal: AbortSignal.abort() }, false],
    ["that nobody reads when the server closes", {}, true],
  ])("%s leaves no timer and no listener behind", async (_, options, closes) => {
    const clock = new VirtualClock();
    const timers = (): number => clock.pending().timers;
    const { storage, plan } = await started(clock);
    const before = timers();
    let listeners = 0;
    const onUnserved = (): (() => void) => {
      listeners++;
      return () => {
        listeners--;
      };
    };
    const stream = new WatchStream({ ...plan, onUnserved, bookmarks: true, ...options });
    if (closes) await storage.close();
    expect([timers(), listeners]).toEqual([closes ? before - 1 : before, 0]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await storage.close();
  });
});

/** Writes a pod of a node, whatever was there. */
async function put(storage: Storage, name: string, node: string, metadata = ""): Promise<void> {
  const key = `/registry/pods/default/${name}`;
  const text = `{"kind":"Pod","apiVersion":"v1","metadata":{${metadata}"name":"${name}"},"spec":{"nodeName":"${node}"}}`;
  const expected = storage.cache("pods").get(key)?.revision ?? 0;
  await storage.write({ key, expected, value: Buffer.from(text) });
}

async function started(clock: Clock): Promise<{ readonly storage: Storage; readonly plan: WatchPlan }> {
  const storage = new Storage({
    store: createMemoryStore({ clock }),
    clock,
    logger: silentLogger,
    compactionInterval: 60_000,
    historyBytes: 1e6,
  });
  await storage.start();
  const resource = builtinResources({ serviceRange: "10.96.0.0/12" }).find(({ plural }) => plural === "pods");
  if (resource === undefined) throw new Error("there are no pods");
  const plan: WatchPlan = {
    storage,
    cache: storage.cache("pods"),
    clock,
    turns: new Turns(clock),
    resource,
    prefix: "/registry/pods/",
    selection: selectionOf(new URLSearchParams(), resource),
    writer: {
      object: (type, { object }) => Buffer.from(`${type} ${object.kind}`),
      bookmark: () => Buffer.of(),
    },
    initial: [],
    initialBookmark: false,
    place: 0,
    after: 0,
    bookmarks: false,
    timeout: 60_000,
    signal: undefined,
    onUnserved: () => () => undefined,
  };
  return { storage, plan };
}
