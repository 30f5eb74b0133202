import { silentLogger, VirtualClock } from "@kedge/machinery";
import { createMemoryStore, type Store, type Watch } from "@kedge/store";
import { describe, expect, it, vi } from "vitest";
import { Storage } from "./storage.ts";

const options = { compactionInterval: 60_000, historyBytes: 1_000_000 };

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

interface Started extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly storage: Storage;
}

/** A storage over a store that has these keys already. */
async function start(...keys: readonly string[]): Promise<Started> {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  for (const key of keys) await store.transaction({ success: [{ type: "put", key, value: bytes("{}") }] });
  const storage = new Storage({ store, clock, logger: silentLogger, ...options });
  await storage.start();
  return {
    clock,
    store,
    storage,
    [Symbol.asyncDispose]: async () => {
      await storage.close();
      await store.close();
    },
  };
}

function keysOf(storage: Storage, name: string): readonly string[] {
  return Array.from(storage.cache(name).list(`/registry/${name}/`).versions, ({ key }) => key);
}

describe("a storage", () => {
  it("shows what was there when it started, by resource", async () => {
    await using started = await start("/registry/pods/ns/a", "/registry/apps/deployments/ns/b", "/else");
    const { storage } = started;
    expect(keysOf(storage, "pods")).toEqual(["/registry/pods/ns/a"]);
    expect(keysOf(storage, "apps/deployments")).toEqual(["/registry/apps/deployments/ns/b"]);
    expect(keysOf(storage, "services")).toEqual([]);
  });

  it("shows to who asks later what has changed meanwhile", async () => {
    await using started = await start("/registry/pods/ns/a", "/registry/pods/ns/b");
    const { store, storage } = started;
    await store.transaction({
      success: [
        { type: "delete", key: "/registry/pods/ns/a" },
        { type: "put", key: "/registry/pods/ns/c", value: bytes("{}") },
      ],
    });
    await storage.current();
    expect(keysOf(storage, "pods")).toEqual(["/registry/pods/ns/b", "/registry/pods/ns/c"]);
  });

  it("shows a write before it is answered", async () => {
    await using started = await start();
    const { storage } = started;
    const key = "/registry/pods/ns/a";
    const revision = await storage.write({ key, expected: 0, value: bytes("{}") });
    expect(storage.cache("pods").get(key)?.revision).toBe(revision);
    expect(storage.revision).toBe(revision);
    await storage.write({ key, expected: revision ?? 0, value: undefined });
    expect(storage.cache("pods").get(key)).toBeUndefined();
  });

  it("writes nothing over what it was not told of, and shows that then", async () => {
    await using started = await start();
    const { store, storage } = started;
    const key = "/registry/pods/ns/a";
    await store.transaction({ success: [{ type: "put", key, value: bytes("theirs") }] });
    expect(await storage.write({ key, expected: 0, value: bytes("ours") })).toBeUndefined();
    expect(storage.cache("pods").get(key)?.size).toBe(6);
  });

  it("waits for what was written past it, however late its watch tells of that", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    const watch = store.watch.bind(store);
    vi.spyOn(store, "watch").mockImplementation((...asked) => late(watch(...asked), clock));
    const storage = new Storage({ store, clock, logger: silentLogger, ...options });
    await storage.start();
    const { revision } = await store.transaction({
      success: [{ type: "put", key: "/registry/pods/ns/a", value: bytes("{}") }],
    });
    expect(keysOf(storage, "pods")).toHaveLength(0);
    expect(await clock.runUntil(storage.current())).toBe(revision);
    expect(keysOf(storage, "pods")).toHaveLength(1);
    await clock.runUntil(storage.close());
    await store.close();
  });

  it("lets nobody wait for ever when it ends", async () => {
    const { storage, store } = await start();
    const told = storage.reached(1000).catch((error: unknown) => String(error));
    await storage.close();
    expect(await told).toBe("Error: the API server is closing");
    await expect(storage.reached(1000)).rejects.toThrow("the API server is closing");
    expect(storage.failure).toBeDefined();
    await store.close();
  });

  it("says why it follows no more", async () => {
    await using started = await start();
    const { store, storage } = started;
    await store.close();
    await expect.poll(() => storage.failure).toMatchObject({ code: "CLOSED" });
  });

  it("keeps what was the newest at the last compaction", async () => {
    await using started = await start();
    const { clock, store, storage } = started;
    const compacted = vi.spyOn(store, "compact");
    const key = "/registry/pods/ns/a";
    const first = await storage.write({ key, expected: 0, value: bytes("1") });
    await clock.advance(60_000);
    await storage.write({ key, expected: first ?? 0, value: bytes("2") });
    await clock.advance(60_000);
    expect(compacted.mock.calls).toEqual([[1], [first]]);
  });
});

/** A watch that tells of everything a second later. */
function late(watch: Watch, clock: VirtualClock): Watch {
  const delayed: Watch = {
    next: async () => {
      const batch = await watch.next();
      await clock.sleep(1000);
      return batch;
    },
    progress: () => watch.progress(),
    return: () => watch.return(),
    [Symbol.asyncIterator]: () => delayed,
  };
  return delayed;
}
