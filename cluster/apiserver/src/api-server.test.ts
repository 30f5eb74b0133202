import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { describe, expect, it } from "vitest";
import { startServer } from "./testing/start-server.ts";

const maps = "/api/v1/namespaces/default/configmaps";

describe("a new server", () => {
  it("has the namespaces of every cluster", async () => {
    await using server = await startServer();
    const { body } = await server.ask("GET", "/api/v1/namespaces");
    const names = (body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  });

  it("finds what another server has left in the store", async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    const first = await startServer({ clock, store });
    const { body: written } = await first.ask("POST", maps, { metadata: { name: "a" }, data: { x: "1" } });
    await first.api.close();
    await using second = await startServer({ clock, store });
    expect((await second.ask("GET", `${maps}/a`)).body).toEqual(written);
  });
});

describe("writes", () => {
  it("are seen by every read after their answer", async () => {
    await using server = await startServer();
    await server.ask("POST", maps, { metadata: { name: "a" }, data: { x: "0" } });
    const versions: string[] = [];
    for (let round = 1; round <= 50; round++) {
      const { body } = await server.ask("PUT", `${maps}/a`, {
        metadata: { name: "a" },
        data: { x: `${round}` },
      });
      const [got, listed] = await Promise.all([server.ask("GET", `${maps}/a`), server.ask("GET", maps)]);
      expect(got.body).toEqual(body);
      expect(listed.body["items"]).toMatchObject([{ data: { x: `${round}` } }]);
      versions.push(body.metadata.resourceVersion);
    }
    expect(versions.map(Number)).toEqual(versions.map(Number).toSorted((a, b) => a - b));
  });

  it("at the same time are all kept, and one of two creates is told that it is too late", async () => {
    await using server = await startServer();
    const creates = await Promise.all(
      [1, 2].map(() => server.ask("POST", maps, { metadata: { name: "a" } })),
    );
    expect(creates.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const type = { "content-type": "application/merge-patch+json" };
    await Promise.all(
      keys.map((key) => server.ask("PATCH", `${maps}/a`, { data: { [key]: "1" } }, { headers: type })),
    );
    const { body } = await server.ask("GET", `${maps}/a`);
    expect(Object.keys(body["data"] as object).toSorted()).toEqual(keys.toSorted());
  });

  it("that change nothing are no new version, whoever makes them", async () => {
    const clock = new VirtualClock();
    await using server = await startServer({ clock });
    const { body } = await server.ask("POST", maps, { metadata: { name: "a" }, data: { x: "1" } });
    await clock.advance(5_000);
    const again = await server.ask("PUT", `${maps}/a`, { metadata: { name: "a" }, data: { x: "1" } });
    expect(again.body).toEqual(body);
  });
});

describe("events", () => {
  it("go by themselves after an hour", async () => {
    const clock = new VirtualClock();
    await using server = await startServer({ clock });
    const involvedObject = { kind: "Pod", name: "a", namespace: "default" };
    const event = { metadata: { name: "e" }, involvedObject, reason: "Tested", type: "Normal" };
    const { status } = await server.ask("POST", "/api/v1/namespaces/default/events", event);
    expect(status).toBe(201);
    await clock.advance(59 * 60_000);
    expect((await server.ask("GET", "/api/v1/namespaces/default/events/e")).status).toBe(200);
    await clock.advance(3 * 60_000);
    expect((await server.ask("GET", "/api/v1/namespaces/default/events/e")).status).toBe(404);
  });
});

describe("compaction", () => {
  const interval = 60_000;

  it("makes old versions of a list a 410, and an old page goes on in the newest state", async () => {
    const clock = new VirtualClock();
    await using server = await startServer({ clock, compactionInterval: interval });
    for (const name of ["a", "b", "c"]) await server.ask("POST", maps, { metadata: { name } });
    const { body: page } = await server.ask("GET", `${maps}?limit=1`);
    const { continue: token, resourceVersion } = page.metadata;
    await server.ask("POST", maps, { metadata: { name: "d" } });
    await clock.advance(interval);
    await server.ask("POST", maps, { metadata: { name: "e" } });
    await clock.advance(2 * interval);

    const exact = await server.ask(
      "GET",
      `${maps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(exact).toMatchObject({ status: 410, body: { reason: "Expired" } });
    const expired = await server.ask("GET", `${maps}?limit=1&continue=${String(token)}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: "Expired" } });
    const rest = await server.ask("GET", `${maps}?continue=${String(expired.body.metadata["continue"])}`);
    expect(rest.body["items"]).toMatchObject(["b", "c", "d", "e"].map((name) => ({ metadata: { name } })));
  });

  it("makes a watch from before it an ERROR event with a 410", async () => {
    const clock = new VirtualClock();
    await using server = await startServer({ clock, compactionInterval: interval });
    const { body } = await server.ask("POST", maps, { metadata: { name: "a" } });
    await server.ask("POST", maps, { metadata: { name: "b" } });
    await clock.advance(3 * interval);
    const watch = await server.watch(`${maps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await watch.next()).toBeUndefined();
  });
});
