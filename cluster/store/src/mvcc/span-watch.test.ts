import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../memory/memory-store.ts";
import type { Write } from "../types.ts";

describe("a watch", () => {
  it("shows a transaction with more events than a call can have arguments", async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    const watch = store.watch({ prefix: "" });
    const value = new Uint8Array();
    const success = Array.from({ length: 200_000 }, (_, i): Write => ({ type: "put", key: `k${i}`, value }));
    await store.transaction({ success });
    expect((await watch.next()).value?.events.length).toBe(200_000);
    await store.close();
  });
});
