import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore, StoreError } from "@kedge/store";
import { describe, expect, it, vi } from "vitest";
import { startServer } from "../testing/start-server.ts";

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
