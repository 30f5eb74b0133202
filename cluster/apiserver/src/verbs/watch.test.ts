import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { startServer } from "../testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a watch", () => {
  it("gives bookmarks once a minute to those who want them", async () => {
    const clock = new VirtualClock();
    await using server = await startServer({ clock });
    const { body } = await server.ask("GET", maps);
    const rv = body.metadata.resourceVersion;
    const watch = await server.watch(`${maps}?watch=true&resourceVersion=${rv}&allowWatchBookmarks=true`);
    const first = watch.next();
    await clock.advance(60_000);
    expect(await first).toMatchObject({ type: "BOOKMARK", object: { kind: "ConfigMap", metadata: {} } });
    const second = watch.next();
    await clock.advance(60_000);
    expect(await second).toMatchObject({ type: "BOOKMARK" });
    await watch.close();
  });

  it("ends after its time, and when the server closes", async () => {
    const clock = new VirtualClock();
    const server = await startServer({ clock });
    const short = await server.watch(`${maps}?watch=true&timeoutSeconds=5`);
    const long = await server.watch(`${maps}?watch=true`);
    const [shortEnd, longEnd] = [short.next(), long.next()];
    await clock.advance(5_000);
    expect(await shortEnd).toBeUndefined();
    await server[Symbol.asyncDispose]();
    expect(await longEnd).toBeUndefined();
  });

  it("that is read late gets every event once, in order", async () => {
    await using server = await startServer();
    const watch = await server.watch(`${maps}?watch=true`);
    const names = Array.from({ length: 300 }, (_, index) => `m${index}`);
    for (const name of names) await server.ask("POST", maps, { metadata: { name } });
    const seen = [];
    for (const _ of names) seen.push((await watch.next())?.object.metadata.name);
    expect(seen).toEqual(names);
    await watch.close();
  });

  it("shows many initial objects, and those only that match, then what is live", async () => {
    await using server = await startServer();
    for (let i = 0; i < 60; i++)
      await server.ask("POST", maps, {
        metadata: { name: `m${i}`, labels: { even: String(i % 2 === 0) } },
        data: { a: "x".repeat(30_000) },
      });
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watch = await server.watch(`${maps}?${query}&labelSelector=even%3Dtrue`);
    const types: string[] = [];
    for (let i = 0; i < 31; i++) types.push((await watch.next())?.type ?? "");
    expect(types).toEqual([...Array.from({ length: 30 }, () => "ADDED"), "BOOKMARK"]);
    await server.ask("DELETE", `${maps}/m1`);
    await server.ask("DELETE", `${maps}/m2`);
    expect(await watch.next()).toMatchObject({ type: "DELETED", object: { metadata: { name: "m2" } } });
    await watch.close();
  });

  it("turns what begins and ceases to match into ADDED and DELETED", async () => {
    await using server = await startServer();
    const watch = await server.watch(`${maps}?watch=true&labelSelector=colour%3Dred`);
    const write = (colour: string): Promise<unknown> =>
      server.ask("PUT", `${maps}/a`, { metadata: { name: "a", labels: { colour } } });
    await server.ask("POST", maps, { metadata: { name: "a", labels: { colour: "blue" } } });
    for (const colour of ["red", "blue", "green", "red"]) await write(colour);
    const types = [await watch.next(), await watch.next(), await watch.next()].map((event) => event?.type);
    expect(types).toEqual(["ADDED", "DELETED", "ADDED"]);
    await watch.close();
  });

  it("is closed when its reader falls behind what is remembered", async () => {
    await using server = await startServer();
    const watch = await server.watch(`${maps}?watch=true&resourceVersion=0`);
    await server.ask("POST", maps, { metadata: { name: "a" } });
    expect((await watch.next())?.type).toBe("ADDED");
    const resource = server.api.registry.resource("", "v1", "configmaps");
    if (resource === undefined) throw new Error("there are no ConfigMaps");
    for (let round = 0; round < 10_100; round++) {
      await server.api.objects.update(resource, { namespace: "default", name: "a" }, (object) => {
        object["data"] = { round: String(round) };
        return undefined;
      });
    }
    expect(await watch.next()).toBeUndefined();
  });
});
