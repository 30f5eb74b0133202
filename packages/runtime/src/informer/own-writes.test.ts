import { seededRandom, VirtualClock } from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryApi } from "../testing/memory-api.ts";
import { createInformers } from "./create-informers.ts";

const key = { namespace: "a", name: "one" };

async function world() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const others = api.client();
  const informers = createInformers({ client: others, clock, random: seededRandom(1) });
  const ours = informers.seeWritesOf(others);
  const informer = informers.of(ConfigMap);
  const events: string[] = [];
  informer.onEvent(({ type, object }) => events.push(`${type} ${object.data?.["value"] ?? ""}`));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void informers.run(stop.signal);
  await clock.runUntil(informer.synced());
  return { clock, api, others, ours, informers, informer, events };
}

const map = (value: string) => ({ metadata: key, data: { value } });

describe("our own writes", () => {
  it("are in the cache before the writer goes on, and are told once", async () => {
    const { api, ours, informer, events, clock } = await world();
    api.hold();
    await ours.of(ConfigMap).create(map("1"));
    expect(informer.get(key)?.data).toEqual({ value: "1" });
    await ours.of(ConfigMap).patch(key, { merge: { data: { value: "2" } } });
    expect(informer.get(key)?.data).toEqual({ value: "2" });
    await ours.of(ConfigMap).apply(map("3"), { fieldManager: "us", force: true });
    expect(informer.get(key)?.data).toEqual({ value: "3" });
    await ours.of(ConfigMap).replace(map("4"));
    expect(informer.get(key)?.data).toEqual({ value: "4" });
    api.release();
    await clock.settle();
    expect(events).toEqual(["added 1", "updated 2", "updated 3", "updated 4"]);
  });

  it("do not take the object out of the writer's hands", async () => {
    const { ours, informer } = await world();
    const answer = await ours.of(ConfigMap).create(map("1"));
    answer.data = { value: "mine" };
    expect(answer.metadata.managedFields).toBeDefined();
    expect(informer.get(key)?.data).toEqual({ value: "1" });
  });

  it("are not undone by older events of the watch", async () => {
    const { api, ours, others, informer, clock, events } = await world();
    api.hold();
    await others.of(ConfigMap).create(map("1"));
    await others.of(ConfigMap).patch(key, { merge: { data: { value: "2" } } });
    await ours.of(ConfigMap).patch(key, { merge: { data: { value: "3" } } });
    api.release();
    await clock.settle();
    expect(events).toEqual(["added 3"]);
    expect(informer.get(key)?.data).toEqual({ value: "3" });
  });

  it("of a dry run change nothing", async () => {
    const { ours, informer, api } = await world();
    api.hold();
    await ours.of(ConfigMap).create(map("1"), { dryRun: true });
    expect(informer.get(key)).toBeUndefined();
  });

  it("that are deletions stay deletions, whatever the watch still shows", async () => {
    const { api, ours, others, informer, clock, events } = await world();
    await others.of(ConfigMap).create(map("1"));
    await clock.settle();
    api.hold();
    await others.of(ConfigMap).patch(key, { merge: { data: { value: "2" } } });
    await ours.of(ConfigMap).delete(key);
    expect(informer.get(key)).toBeUndefined();
    api.release();
    await clock.settle();
    expect(events).toEqual(["added 1", "deleted 1"]);
    await others.of(ConfigMap).create(map("new"));
    await clock.settle();
    expect(informer.get(key)?.data).toEqual({ value: "new" });
  });

  it("that delete what the cache has not seen yet hide it from the start", async () => {
    const { api, ours, others, informer, clock, events } = await world();
    api.hold();
    await others.of(ConfigMap).create(map("1"));
    await ours.of(ConfigMap).delete(key);
    api.release();
    await clock.settle();
    expect(events).toEqual([]);
    expect(informer.list()).toEqual([]);
  });

  it("that delete a successor bury the one that the cache still shows", async () => {
    const { api, ours, others, informer, clock, events } = await world();
    await others.of(ConfigMap).create(map("1"));
    await clock.settle();
    api.hold();
    await others.of(ConfigMap).delete(key);
    await others.of(ConfigMap).create(map("2"));
    await ours.of(ConfigMap).delete(key);
    expect(informer.get(key)).toBeUndefined();
    await others.of(ConfigMap).create(map("3"));
    api.release();
    await clock.settle();
    expect(events).toEqual(["added 1", "deleted 1", "added 3"]);
  });

  it("that delete an object with a finalizer show it as going", async () => {
    const { api, ours, informer, clock, events } = await world();
    await ours.of(ConfigMap).create({ ...map("1"), metadata: { ...key, finalizers: ["example.com/x"] } });
    api.hold();
    await ours.of(ConfigMap).delete(key);
    expect(informer.get(key)?.metadata.deletionTimestamp).toBeDefined();
    await ours.of(ConfigMap).patch(key, { merge: { metadata: { finalizers: null } } });
    expect(informer.get(key)).toBeUndefined();
    api.release();
    await clock.settle();
    expect(events).toEqual(["added 1", "updated 1", "deleted 1"]);
  });

  it("do not bring back what was deleted before their answer came", async () => {
    const { api, ours, others, informer, clock } = await world();
    await others.of(ConfigMap).create(map("1"));
    await clock.settle();
    const answered = Promise.withResolvers<void>();
    api.onAnswer = ({ method }) => (method === "PATCH" ? answered.promise : undefined);
    const patch = ours.of(ConfigMap).patch(key, { merge: { data: { value: "2" } } });
    await clock.settle();
    await others.of(ConfigMap).delete(key);
    await clock.settle();
    answered.resolve();
    await patch;
    expect(informer.get(key)).toBeUndefined();
  });

  it("survive a list that was made before them", async () => {
    const { api, ours, others, informer, clock, events } = await world();
    await others.of(ConfigMap).create(map("1"));
    await clock.settle();
    // The next list is read, and its answer comes late.
    const late = Promise.withResolvers<void>();
    api.initialEvents = "refuse";
    api.cutWatches();
    api.store.forget();
    await others.of(ConfigMap).patch(key, { merge: { data: { value: "2" } } });
    api.store.forget();
    let isListed = false;
    api.onList = () => {
      isListed = true;
      return late.promise;
    };
    await clock.runUntil(() => isListed);
    await ours.of(ConfigMap).patch(key, { merge: { data: { value: "3" } } });
    await ours.of(ConfigMap).create({ metadata: { namespace: "a", name: "two" }, data: { value: "two" } });
    late.resolve();
    await clock.advance(10_000);
    expect(informer.get(key)?.data).toEqual({ value: "3" });
    expect(informer.list()).toHaveLength(2);
    expect(events).toEqual(["added 1", "updated 3", "added two"]);
  });
});

describe("whatever happens", () => {
  const step = fc.oneof(
    fc.record({
      who: fc.constantFrom("ours", "others"),
      what: fc.constantFrom("put", "delete", "finalize"),
      name: fc.constantFrom("x", "y", "z"),
    }),
    fc.constantFrom("hold", "release", "cut", "end", "forget", "settle", "advance", "bookmark", "old"),
  );

  it("the cache never goes back, and ends equal to the server", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { clock, api, ours, others, informer } = await world();
        const newest = new Map<string, number>();
        const handled = new Map<string, string>();
        informer.onEvent(({ type, object }) => {
          const { name, uid, resourceVersion } = object.metadata;
          // What is new replaces nothing; what changes or goes is what was handed out before.
          expect(handled.get(name)).toBe(type === "added" ? undefined : uid);
          if (type === "deleted") {
            handled.delete(name);
            return;
          }
          handled.set(name, uid);
          expect(Number(resourceVersion)).toBeGreaterThan(newest.get(name) ?? 0);
          newest.set(name, Number(resourceVersion));
        });
        const own: [live: string | undefined, read: string | undefined][] = [];
        let count = 0;
        for (const each of steps) {
          if (each === "hold") api.hold();
          else if (each === "release") api.release();
          else if (each === "cut") api.cutWatches();
          else if (each === "end") api.cutWatches("end");
          else if (each === "forget") api.store.forget();
          else if (each === "settle") await clock.settle();
          else if (each === "advance") await clock.advance(3000);
          else if (each === "bookmark") api.bookmark();
          else if (each === "old") api.initialEvents = "refuse";
          else {
            const client = (each.who === "ours" ? ours : others).of(ConfigMap);
            const target = { namespace: "a", name: each.name };
            const finalizers = each.what === "finalize" ? (count % 2 === 0 ? ["x.com/f"] : []) : undefined;
            const object = { metadata: { ...target, finalizers }, data: { value: `${count++}` } };
            const write =
              each.what === "delete"
                ? client.delete(target)
                : client.apply(object, { fieldManager: "test", force: true });
            const isDone = await write.then(
              () => true,
              () => false,
            );
            const live = api.store.get("/v1/configmaps", `a/${each.name}`)?.metadata.resourceVersion;
            const read = informer.get(target)?.metadata.resourceVersion;
            if (each.who === "ours" && isDone) own.push([live, read]);
          }
        }
        expect(own.filter(([live, read]) => live !== read)).toEqual([]);
        api.release();
        await clock.advance(180_000);
        const cached = informer.list().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
        const stored = api.store
          .list("/v1/configmaps")
          .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
        expect(cached.toSorted()).toEqual(stored.toSorted());
      }),
      { numRuns: 200 },
    );
  });
});
