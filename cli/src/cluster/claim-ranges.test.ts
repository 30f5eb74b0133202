import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeWhole } from "@kedge/network/write-whole";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimRanges } from "./claim-ranges.ts";
import { clusterFolder } from "./cluster-folder.ts";
import { makeClaimsOld } from "./testing/make-claims-old.ts";

describe("claims of address ranges", () => {
  let cache = "";
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), "kedge-claims-"));
  });
  afterEach(() => rm(cache, { recursive: true }));
  const folderOf = (name: string) => clusterFolder(join(cache, name));

  it("give clusters that start at once different ranges", async () => {
    const all = await Promise.all(["a", "b", "c"].map((name) => claimRanges(folderOf(name), cache)));
    expect(new Set(all.map(({ podRange }) => podRange)).size).toBe(3);
    expect(new Set(all.map(({ serviceRange }) => serviceRange)).size).toBe(3);
  });

  it("hold while the cluster exists, though it does not run", async () => {
    const a = await claimRanges(folderOf("a"), cache);
    await writeWhole(folderOf("a").settings, JSON.stringify(a));
    await makeClaimsOld(join(cache, "ranges"));
    expect((await claimRanges(folderOf("b"), cache)).podRange).not.toBe(a.podRange);
  });

  it("end with the cluster", async () => {
    const a = await claimRanges(folderOf("a"), cache);
    await makeClaimsOld(join(cache, "ranges"));
    expect((await claimRanges(folderOf("b"), cache)).podRange).toBe(a.podRange);
  });

  it("that are not claims are removed", async () => {
    const { podRange } = await claimRanges(folderOf("a"), cache);
    const file = (await readdir(join(cache, "ranges"))).find((name) => name.endsWith(".json")) ?? "";
    await writeFile(join(cache, "ranges", file), "nonsense");
    expect((await claimRanges(folderOf("b"), cache)).podRange).toBe(podRange);
  });
});
