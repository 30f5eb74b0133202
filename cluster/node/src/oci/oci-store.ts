import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@kedge/machinery";
import { chainOf, digestOf, type Digest } from "./digest.ts";
import { readImageConfig } from "./image-config.ts";
import { ImageError } from "./image-error.ts";
import { imageRecords, type ImageRecord, type ImageSource, type KnownImage } from "./image-record.ts";
import { imageRoots, usualLimits, type ImageLimits } from "./image-roots.ts";
import { imageUses, type ImageUse } from "./image-uses.ts";
import { readManifest } from "./manifest.ts";
import { openStaging, type Staging, type StagingOptions } from "./staging.ts";
import { openStoreFolder } from "./store-folder.ts";

/** What an OCI store needs. */
export interface OciStoreOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By Go's name: amd64, arm64. */
  readonly architecture: string;
  readonly limits?: ImageLimits;
  /** Whether images are unpacked when they come. Only root can give files their owners. Default: whether this is root. */
  readonly unpacks?: boolean;
}

/** An image whose content is staged. */
export interface NewImage {
  readonly names: readonly string[];
  readonly manifest: Digest;
  readonly from: ImageSource;
  readonly origin: string;
  readonly repoDigests?: readonly string[];
  /** Its files, just as the layers hold them, in a folder that is given away. Default: the layers are unpacked. */
  readonly unpacked?: { readonly root: string; readonly bytes: number };
}

/** An image that can be run: its unpacked files. */
export interface UnpackedImage {
  readonly record: ImageRecord;
  readonly root: string;
}

/**
 * Images on this machine, content-addressed: blobs by digest, names that point to them, and unpacked layers that all
 * containers share. Any number of processes may use one store. Whatever is cut off and when, an image is there whole or
 * not at all.
 */
export interface OciStore {
  readonly limits: ImageLimits;
  readonly architecture: string;
  stage(options?: StagingOptions): Promise<Staging>;
  /** Checks an image, unpacks it, and gives it its names. */
  take(staging: Staging, image: NewImage): Promise<readonly ImageRecord[]>;
  read(name: string): Promise<ImageRecord | undefined>;
  list(): Promise<readonly KnownImage[]>;
  /** Ready to run; undefined: there is none of this name. */
  open(name: string): Promise<UnpackedImage | undefined>;
  /** Says that a container stands on it; false: it is not there any more. */
  use(use: ImageUse): Promise<boolean>;
  release(container: string): Promise<void>;
  uses(): Promise<readonly ImageUse[]>;
  /** Bytes that an image takes, unpacked files included. */
  sizeOf(record: ImageRecord): Promise<number>;
  /** Takes names away, and what no name needs any more. Those of images in use stay: they are given back. */
  remove(names: readonly string[]): Promise<{ readonly inUse: readonly ImageUse[] }>;
  /** One process at a time does something about a name. */
  aloneWith<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** What was cut off is deleted after this. */
const abandonedMs = 24 * 3_600_000;

/** Opens a store, and makes it if need be. */
export async function openOciStore(options: OciStoreOptions): Promise<OciStore> {
  const { clock, logger, architecture, limits = usualLimits } = options;
  const unpacks = options.unpacks ?? process.geteuid?.() === 0;
  const folder = await openStoreFolder(options.folder, clock);
  const records = imageRecords(folder);
  const uses = imageUses(folder, clock);
  const roots = imageRoots(folder, { clock, logger, limits });

  const recordOf = async (staging: Staging, image: NewImage): Promise<Omit<ImageRecord, "name">> => {
    const what = image.names[0] ?? image.manifest;
    const manifest = readManifest(await staging.read(image.manifest), `the manifest of ${what}`);
    if (manifest.kind !== "image")
      throw new ImageError("ARCHIVE", `${what} is no image, but an index of images`);
    const { config: about, layers } = manifest;
    const {
      diffIds,
      architecture: built,
      ...config
    } = readImageConfig(await staging.read(about.digest), `the configuration of ${what}`);
    if (built !== "" && built !== architecture) {
      throw new ImageError(
        "PLATFORM",
        `${what} is for linux/${built}, this machine is linux/${architecture}`,
      );
    }
    if (diffIds.length !== layers.length) {
      throw new ImageError(
        "ARCHIVE",
        `${what} has ${layers.length} layers, its configuration names ${diffIds.length}`,
      );
    }
    const blobs = [...new Set([image.manifest, about.digest, ...layers.map(({ digest }) => digest)])];
    const missing = blobs.find((digest) => !staging.has(digest));
    if (missing !== undefined) throw new ImageError("ARCHIVE", `${what} lacks the content ${missing}`);
    const sizes = await Promise.all(blobs.map(async (digest) => (await stat(staging.place(digest))).size));
    return {
      manifest: image.manifest,
      id: about.digest,
      blobs,
      layers: layers.map(({ digest }, i) => ({ digest, diffId: diffIds[i] ?? digest })),
      chain: chainOf(diffIds),
      size: sizes.reduce((sum, size) => sum + size, 0),
      from: image.from,
      origin: image.origin,
      repoDigests: image.repoDigests ?? [],
      createdAt: clock.now(),
      config,
    };
  };

  const unpacked = async (
    record: Omit<ImageRecord, "name">,
    place: (digest: Digest) => string,
  ): Promise<string> =>
    roots.find(record.chain) ??
    (await clock.track(
      roots.make(record.layers.map(({ digest, diffId }) => ({ path: place(digest), diffId }))),
    ));

  const remove = async (names: readonly string[]): Promise<readonly ImageUse[]> => {
    const all = await records.list();
    const going = all.filter(({ name }) => names.includes(name));
    const staying = all.filter(({ name }) => !names.includes(name));
    const used = await uses.list();
    const inUse = used.filter(
      ({ image }) => going.some(({ id }) => id === image) && !staying.some(({ id }) => id === image),
    );
    if (inUse.length > 0) return inUse;
    for (const { name } of going) await records.remove(name);
    await sweep();
    return [];
  };

  /** Deletes what no name needs. The caller is alone. */
  const sweep = async (): Promise<void> => {
    const known = await records.list();
    const blobs = new Set(known.flatMap((record) => record.blobs.map((digest) => folder.blob(digest))));
    for (const file of await readdir(folder.blobs)) {
      const path = join(folder.blobs, file);
      if (!blobs.has(path)) await rm(path, { force: true });
    }
    const chains = new Set(known.map(({ chain }) => chain));
    for (const chain of await roots.list()) {
      if (!chains.has(chain)) await discardRoot(chain);
    }
    for (const place of [folder.incoming, folder.trash, folder.roots]) await deleteAbandoned(place);
  };

  /**
   * A container may be made on it at this moment. Whoever does that writes its use down first and looks for the root
   * then; we move the root away first and look for uses then: one of us sees the other.
   */
  const discardRoot = async (chain: Digest): Promise<void> => {
    if ((await uses.list()).some((use) => use.chain === chain)) return;
    const moved = await roots.moveOut(chain);
    if ((await uses.list()).some((use) => use.chain === chain)) await moved?.putBack();
    else await moved?.delete();
  };

  const deleteAbandoned = async (place: string): Promise<void> => {
    for (const name of await readdir(place)) {
      if (place === folder.roots && !name.startsWith(".making-")) continue;
      const path = join(place, name);
      const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: clock.now() };
      if (clock.now() - mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true });
    }
  };

  return {
    limits,
    architecture,
    stage: (how = { durable: true }) => openStaging(folder, how),
    async take(staging, image) {
      const made = await recordOf(staging, image);
      if (image.unpacked !== undefined) await roots.adopt(made.chain, image.unpacked);
      else if (unpacks) await unpacked(made, (digest) => staging.place(digest));
      const named = image.names.map((name): ImageRecord => ({ ...made, name }));
      await folder.alone(async () => {
        await staging.settle(made.blobs);
        const lost = made.blobs.find((digest) => !existsSync(folder.blob(digest)));
        if (lost !== undefined) throw new ImageError("CORRUPT", `${lost} was removed meanwhile`);
        for (const record of named) await records.write(record);
      });
      return named;
    },
    read: (name) => records.read(name),
    list: () => records.list(),
    async open(name) {
      const record = await records.read(name);
      if (record === undefined) return undefined;
      const root = await unpacked(record, (digest) => folder.blob(digest));
      await records.touch(name, clock.now());
      return { record, root };
    },
    async use(use) {
      await uses.add(use);
      return roots.find(use.chain) !== undefined;
    },
    release: (container) => uses.release(container),
    uses: () => uses.list(),
    sizeOf: async (record) => record.size + (await roots.size(record.chain)),
    remove: async (names) => ({ inUse: await folder.alone(() => remove(names)) }),
    aloneWith: (name, work, signal) => folder.aloneWith(digestOf(name), work, signal),
  };
}
