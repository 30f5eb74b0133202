import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPodAddresses } from "./pod-addresses.ts";

describe("pod addresses", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-addresses-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const open = (range = "10.1.0.0/24") => openPodAddresses({ folder, range, clock: realClock });

  it("are the pod's until it gives them back", async () => {
    const addresses = await open();
    const a = await addresses.assign("a");
    const b = await addresses.assign("b");
    expect(a).not.toBe(b);
    expect(await addresses.assign("a")).toBe(a);
    await addresses.release("a");
    expect(addresses.get("a")).toBeUndefined();
    expect(await addresses.assign("c"), "not at once another's").not.toBe(a);
  });

  it("survive the agent", async () => {
    const first = await open();
    const a = await first.assign("a");
    const second = await open();
    expect(second.get("a")).toBe(a);
    expect(await second.assign("b")).not.toBe(a);
    expect(second.pods()).toEqual(["a", "b"]);
  });

  it("are all given out, then refused, then given out again", async () => {
    const addresses = await open("10.1.0.0/28");
    const given = new Set<string>();
    for (const uid of ["a", "b", "c", "d", "e"]) given.add(await addresses.assign(uid));
    expect(given.size).toBe(5);
    expect(given.has("10.1.0.0") || given.has("10.1.0.1") || given.has("10.1.0.15")).toBe(false);
    await expect(addresses.assign("f")).rejects.toThrow("all 5 addresses are in use");
    await addresses.release("c");
    expect(given.has(await addresses.assign("f"))).toBe(true);
  });

  it("of another range are forgotten", async () => {
    await (await open("10.1.0.0/24")).assign("a");
    expect((await open("10.2.0.0/24")).get("a")).toBeUndefined();
  });
});
