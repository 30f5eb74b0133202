import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { realClock as clock, silentLogger as logger } from "@kedge/machinery";
import { createImageStore, createPackageCache, openOciStore } from "@kedge/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cacheFolder } from "../node/laboratory.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";

describe("an image that is assembled from Debian's packages", needs(whyNoContainers()), () => {
  let folder: string;
  const cache = createPackageCache({ folder: cacheFolder(), clock, logger, path: process.env["PATH"] ?? "" });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-assembled-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Names, types, modes, owners, sizes and links of all files. */
  const listing = (root: string): string => {
    const found = execFileSync("find", [root, "-printf", "%P %M %U:%G %l\\n"], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    return found.split("\n").toSorted().join("\n");
  };
  const sums = (root: string): string =>
    execFileSync("sh", ["-c", 'cd "$0" && find . -type f | sort | xargs -d "\\n" sha256sum', root], {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });

  it.each(["redis:7.0", "valkey/valkey:8.1", "busybox:1.35", "kedge.dev/echo:1"])(
    "%s is a real one: its layers hold just its files, and its id is the same wherever it is made",
    async (name) => {
      const [here, there] = ["one", "two"].map((part) => join(folder, part));
      const first = await createImageStore({ cache, clock, logger, folder: here ?? "" }).resolve(name);
      const second = await createImageStore({ cache, clock, logger, folder: there ?? "" }).resolve(name);
      expect(first.id).toMatch(/^sha256:[0-9a-f]{64}$/u);
      expect(second.id).toBe(first.id);
      const store = await openOciStore({
        folder: here ?? "",
        clock,
        logger,
        architecture: cache.architecture,
      });
      const [record] = await store.list();
      expect(record).toMatchObject({
        id: first.id,
        from: "packages",
        name: expect.stringMatching(/^kedge\.dev\/debian\//u) as string,
      });
      expect(record?.layers.length).toBeGreaterThan(1);
      // Without its files, they come out of the layers again.
      const [root = ""] = first.layers;
      const before = { listing: listing(root), sums: sums(root) };
      await rm(dirname(root), { recursive: true });
      const again = (await store.open(record?.name ?? ""))?.root ?? "";
      expect({ listing: listing(again), sums: sums(again) }).toEqual(before);
    },
  );
});
