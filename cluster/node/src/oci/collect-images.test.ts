import { mkdir, mkdtemp, rm, utimes, writeFile, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { realClock as clock, silentLogger as logger } from "@kedge/machinery";
import { loadArchive } from "./archive/load-archive.ts";
import { collectImages } from "./collect-images.ts";
import { openOciStore, type OciStore } from "./oci-store.ts";
import { buildImage, dockerArchive, type BuiltImage } from "./testing/test-image.ts";

let folder: string;
let store: OciStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-collect-"));
  store = await openOciStore({ folder, clock, logger, architecture: "amd64", unpacks: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function pulled(name: string, image: BuiltImage): Promise<void> {
  await using staging = await store.stage();
  const limit = 1 << 24;
  for (const blob of [image.manifest, ...image.blobs.values()]) {
    await staging.put(new Blob([new Uint8Array(blob)]).stream(), { limit, what: name });
  }
  await store.take(staging, { names: [name], manifest: image.digest, from: "registry", origin: "pulled" });
}

it("images that nobody uses go when the disk is full, and what they alone needed", async () => {
  const base = [{ name: "base", content: "b".repeat(5000) }];
  await pulled("old:1", buildImage({ layers: [base, [{ name: "old", content: "x".repeat(5000) }]] }));
  await pulled("used:1", buildImage({ layers: [base, [{ name: "used", content: "y".repeat(5000) }]] }));
  const archive = join(folder, "mine.tar");
  const mine = buildImage({ layers: [base, [{ name: "mine", content: "z" }]] });
  await writeFile(archive, dockerArchive([{ image: mine, tags: ["mine:1"] }]));
  await loadArchive(store, archive);
  for (const name of await readdir(join(folder, "names"))) {
    await utimes(join(folder, "names", name), 1000, 1000);
  }
  const used = await store.read("used:1");
  if (used === undefined) throw new Error("not there");
  const container = join(folder, "container");
  await mkdir(container);
  await store.use({ container: "c1", image: used.id, chain: used.chain, folder: container });
  const disk = (available: number) => () => Promise.resolve({ capacity: 1_000_000, available });
  expect(await collectImages({ store, clock, logger, disk: disk(500_000) })).toEqual({ wanted: 0, freed: 0 });
  expect((await store.list()).length).toBe(3);
  const collected = await collectImages({ store, clock, logger, disk: disk(100_000) });
  expect(collected.wanted).toBe(100_000);
  expect(collected.freed).toBeGreaterThan(10_000);
  expect((await store.list()).map(({ name }) => name)).toEqual(["mine:1", "used:1"]);
  expect(await store.open("used:1")).toBeDefined();
  expect((await readdir(join(folder, "roots"))).length).toBe(2);
});
