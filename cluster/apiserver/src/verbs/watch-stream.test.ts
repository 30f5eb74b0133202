import { silentLogger, Turns, VirtualClock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { expect, it, vi } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { selectionOf } from "../request/selection.ts";
import { Storage } from "../storage/storage.ts";
import { WatchStream } from "./watch-stream.ts";

it("a watch is woken by the events of its own resource, and by no others", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const storage = new Storage({
    store,
    clock,
    logger: silentLogger,
    compactionInterval: 60_000,
    historyBytes: 1e6,
  });
  await storage.start();
  const resource = builtinResources({ serviceRange: "10.96.0.0/12" }).find(({ plural }) => plural === "pods");
  if (resource === undefined) throw new Error("there are no pods");
  const cache = storage.cache("pods");
  storage.cache("configmaps");
  const looked = vi.spyOn(cache, "eventAt");
  const stream = new WatchStream({
    storage,
    cache,
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
  });
  const next = stream.next();
  await clock.settle();
  looked.mockClear();
  const value = Buffer.from('{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}');
  await storage.write({ key: "/registry/configmaps/default/a", expected: 0, value });
  await clock.settle();
  expect(looked).not.toHaveBeenCalled();
  await storage.write({ key: "/registry/pods/default/a", expected: 0, value });
  expect(Buffer.from((await next).value ?? []).toString()).toBe("ADDED Pod");
  await stream.return();
  await storage.close();
});
