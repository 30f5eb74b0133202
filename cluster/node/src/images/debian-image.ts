import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import type { Clock } from "@kedge/machinery";
import { longestJson, mediaTypes } from "../oci/descriptor.ts";
import type { Digest } from "../oci/digest.ts";
import type { Staging } from "../oci/staging.ts";
import { assemble, type Assembled } from "./assemble.ts";
import { entriesOf, layerTar, type LayerEntry } from "./folder-layer.ts";
import { placeInImage } from "./merge-package.ts";
import type { Recipe } from "./recipe.ts";

/** An image made of Debian packages, its content staged. */
export interface DebianImage {
  readonly manifest: Digest;
  /** Its files, as its layers hold them: nothing has to be unpacked. */
  readonly root: string;
  /** Of all files. */
  readonly bytes: number;
}

/** What an image is made with. */
export interface DebianImageOptions {
  readonly staging: Staging;
  readonly architecture: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string>>;
}

/** Larger than any package. */
const longestLayer = 2 ** 30;

/**
 * Makes a real image of a recipe: a layer for each package, one more for what the recipe adds, a configuration and a
 * manifest. The same packages give the same image id on every machine.
 */
export async function makeDebianImage(
  recipe: Recipe,
  made: Assembled,
  options: DebianImageOptions,
): Promise<DebianImage> {
  const { staging, clock } = options;
  const root = join(staging.folder, "root");
  await mkdir(root);
  await assemble(recipe, made, root, clock);
  const known = new Set<string>();
  const layers: StagedLayer[] = [];
  for (const { folder, name, version } of made.packages) {
    // Of two packages with one file, the first one's is taken.
    const entries = (await entriesOf(folder, placeInImage)).filter((entry) => !known.has(entry.name));
    for (const entry of entries) known.add(entry.name);
    layers.push(await stageLayer(entries, { staging, times: "kept", by: `${name} ${version} of Debian` }));
  }
  const all = (await entriesOf(root)).map((entry) => ({ entry, stats: lstatSync(entry.path) }));
  // Folders of all layers, as they are to be in the end.
  const own = all.filter(({ entry, stats }) => stats.isDirectory() || !known.has(entry.name));
  const added = own.map(({ entry }) => entry);
  layers.push(await stageLayer(added, { staging, times: "none", by: `Kedge, for ${recipe.repository}` }));
  const config = await stageJson(configOf(recipe, options, layers), staging);
  const manifest = await stageJson(
    {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: { mediaType: mediaTypes.config, ...config },
      layers: layers.map(({ digest, size }) => ({ mediaType: `${mediaTypes.layer}+zstd`, digest, size })),
    },
    staging,
  );
  return { manifest: manifest.digest, root, bytes: all.reduce((sum, { stats }) => sum + stats.size, 0) };
}

interface StagedLayer {
  readonly digest: Digest;
  readonly diffId: Digest;
  readonly size: number;
  readonly by: string;
}

async function stageLayer(
  entries: readonly LayerEntry[],
  { staging, times, by }: { readonly staging: Staging; readonly times: "kept" | "none"; readonly by: string },
): Promise<StagedLayer> {
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of layerTar(entries, times)) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  // Whoever reads its end hears of every failure.
  pipeline(Readable.from(hashed()), compressed, () => undefined);
  const digest = await staging.put(compressed, { limit: longestLayer, what: "a layer" });
  const { size } = await stat(staging.place(digest));
  return { digest, diffId: `sha256:${hash.digest("hex")}`, size, by };
}

async function stageJson(
  value: object,
  staging: Staging,
): Promise<{ readonly digest: Digest; readonly size: number }> {
  const bytes = Buffer.from(JSON.stringify(value));
  const digest = await staging.put(Readable.from([bytes]), { limit: longestJson, what: "a document" });
  return { digest, size: bytes.length };
}

function configOf(
  recipe: Recipe,
  { architecture, environment }: DebianImageOptions,
  layers: readonly StagedLayer[],
): object {
  return {
    architecture,
    os: "linux",
    config: {
      Entrypoint: recipe.entrypoint,
      Cmd: recipe.command,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      WorkingDir: recipe.workingDirectory,
      User: recipe.user,
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ by }) => ({ created_by: by })),
  };
}
