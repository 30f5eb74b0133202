import { silentLogger, VirtualClock, type Logger } from "@kedge/machinery";
import { createMemoryStore, StoreError, type Store } from "@kedge/store";
import { describe, expect, it, vi } from "vitest";
import { Storage } from "./storage.ts";
import { startServer, type TestServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a server whose store has no space left", () => {
  it("says so to writers, answers readers, and writes again when there is room", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    await using server = await startServer({ clock, store });
    await server.ask("POST", maps, { metadata: { name: "a" } });
    const watch = await server.watch(`${maps}?watch=true`);
    expect((await watch.next())?.object.metadata.name).toBe("a");

    const full = vi.spyOn(store, "transaction").mockRejectedValue(new StoreError("NO_SPACE", "full"));
    const { status, body } = await server.ask("POST", maps, { metadata: { name: "b" } });
    expect([status, body["kind"], body.message]).toEqual([
      500,
      "Status",
      "database space exceeded: full. Make room on the disk, then write again: what was acknowledged is there and can be read.",
    ]);
    expect((await server.ask("GET", `${maps}/a`)).status).toBe(200);
    expect((await server.ask("GET", maps)).status).toBe(200);

    full.mockRestore();
    expect((await server.ask("POST", maps, { metadata: { name: "b" } })).status).toBe(201);
    expect((await watch.next())?.object.metadata.name).toBe("b");
    await watch.close();
  });
});

describe("a listener that throws", () => {
  it("is told of in the log; others, the caches and the server go on", async () => {
    const clock = new VirtualClock();
    const error = vi.fn<Logger["error"]>();
    await using server = await startServer({ clock, logger: { ...silentLogger, error } });
    const { objects, registry } = server.api;
    const resource = registry.byKind("", "ConfigMap");
    if (resource === undefined) throw new Error("there are no ConfigMaps");
    const seen: unknown[] = [];
    objects.onChange(resource, () => {
      throw new Error("cannot take it in");
    });
    objects.onChange(resource, ({ object }) => void seen.push(object.metadata.name));
    for (const name of ["a", "b"])
      expect((await server.ask("POST", maps, { metadata: { name } })).status).toBe(201);
    expect(seen).toEqual(["a", "b"]);
    expect((await server.ask("GET", `${maps}/b`)).status).toBe(200);
    const told = [
      "A listener did not take in a change of the store",
      expect.objectContaining({ storage: "configmaps" }),
    ];
    expect(error.mock.calls).toEqual([told, told]);
  });
});

describe("a server whose store takes time to say its revision", () => {
  it("shows every write that was answered before", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    await using server = await startServer({ clock, store });
    const known = await store.revision();
    const asked = vi.spyOn(store, "revision").mockImplementation(async () => {
      const { revision } = await store.range({ prefix: "" }, { limit: 0 });
      await clock.sleep(1000);
      return revision;
    });
    await server.ask("POST", maps, { metadata: { name: "a" } });
    const got = await clock.runUntil(server.ask("GET", `${maps}/a`));
    expect(got.body.metadata.name).toBe("a");
    const listed = await clock.runUntil(server.ask("GET", maps));
    expect(listed.body["items"]).toMatchObject([{ metadata: { name: "a" } }]);
    const past = `${maps}?resourceVersion=${known}&resourceVersionMatch=Exact`;
    expect((await clock.runUntil(server.ask("GET", past))).body["items"]).toEqual([]);
    const future = await clock.runUntil(server.ask("GET", `${maps}?resourceVersion=${known + 9}`));
    expect([future.status, future.body.message]).toEqual([
      504,
      `Timeout: Too large resource version: ${known + 9}, current: ${known + 1}`,
    ]);
    // Not for the past, which is known.
    expect(asked).toHaveBeenCalledTimes(3);
  });
});

describe("the history of the store", () => {
  const resourceOf = (server: TestServer) => {
    const resource = server.api.registry.resource("", "v1", "configmaps");
    if (resource === undefined) throw new Error("there are no ConfigMaps");
    return resource;
  };

  it("is compacted when it is too big, before its time", async () => {
    await using server = await startServer();
    const { body } = await server.ask("POST", maps, { metadata: { name: "a" } });
    const late = await server.watch(`${maps}?watch=true`);
    const big = "x".repeat(1_000_000);
    for (let round = 0; round < 140; round++)
      await server.api.objects.update(resourceOf(server), { namespace: "default", name: "a" }, (object) => {
        object["data"] = { big: `${round}${big}` };
        return undefined;
      });
    const revision = await server.store.revision();
    const oldest = await oldestOf(server.store);
    expect(revision - oldest).toBeLessThan(135);
    expect(revision - oldest).toBeGreaterThan(60);
    const from = body.metadata.resourceVersion;
    const watch = await server.watch(`${maps}?watch=true&resourceVersion=${from}`);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    await late.close();
  });

  it("is compacted at each start", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    for (let start = 0; start < 3; start++) {
      const server = await startServer({ clock, store });
      await clock.settle();
      expect(await oldestOf(store)).toBeGreaterThan(start * 20);
      for (let i = 0; i < 10; i++) {
        await server.ask("POST", maps, { metadata: { name: "a" } });
        await server.ask("DELETE", `${maps}/a`);
      }
      await server.api.close();
    }
    await store.close();
  });
});

/** The oldest revision that can be read. */
async function oldestOf(store: Store): Promise<number> {
  for (let revision = 1; ; revision++) {
    try {
      await store.range({ prefix: "" }, { revision, limit: 0 });
      return revision;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "COMPACTED") throw error;
    }
  }
}

describe("the storage of many objects", () => {
  it("starts with more than a call can have arguments, and gives each cache its own", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    const value = Buffer.from("{}");
    const put = (key: string) => ({ type: "put" as const, key: `/registry/${key}`, value });
    const many = Array.from({ length: 200_000 }, (_, i) => put(`configmaps/default/${i}`));
    const others = ["apps/deployments/a/b", "apps/deploymentsx/a/b", "configmapsx/a", "pods/a/b", "zzz/a"];
    await store.transaction({ success: [...many, ...others.map(put)] });
    const storage = new Storage({
      store,
      clock,
      logger: silentLogger,
      compactionInterval: 60_000,
      historyBytes: 1e6,
    });
    await storage.start();
    const countOf = (name: string): number => storage.cache(name).list(`/registry/${name}/`).count;
    expect(["configmaps", "apps/deployments", "pods", "secrets", "apps/deploymentsx"].map(countOf)).toEqual([
      200_000, 1, 1, 0, 1,
    ]);
    await storage.close();
  });
});
