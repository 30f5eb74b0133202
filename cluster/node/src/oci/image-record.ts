import { readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "@kedge/network/write-whole";
import { digestOf, hexOf, type Digest } from "./digest.ts";
import type { ImageConfig } from "./image-config.ts";
import type { StoreFolder } from "./store-folder.ts";

/** An image under one of its names. */
export interface ImageRecord {
  /** In one spelling, see `imageNameText`. */
  readonly name: string;
  readonly manifest: Digest;
  /** The digest of its configuration, which names the image whatever it is compressed by. */
  readonly id: Digest;
  /** All content that it needs. */
  readonly blobs: readonly Digest[];
  readonly layers: readonly { readonly digest: Digest; readonly diffId: Digest }[];
  /** Names its unpacked layers. */
  readonly chain: Digest;
  /** Bytes of all content, as it is stored. */
  readonly size: number;
  readonly from: ImageSource;
  /** Where it came from, in words for people. */
  readonly origin: string;
  /** `repository@sha256:…` where a registry has it. */
  readonly repoDigests: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly config: Omit<ImageConfig, "diffIds" | "architecture">;
}

/** How an image came here. What came from an archive cannot be had again: it is never collected. */
export type ImageSource = "archive" | "registry" | "packages";

/** A record, and when the image was last asked for. Milliseconds since 1970. */
export interface KnownImage extends ImageRecord {
  readonly usedAt: number;
}

/** The names of a store. Each file is written whole; readers need no lock. */
export interface ImageRecords {
  read(name: string): Promise<ImageRecord | undefined>;
  list(): Promise<readonly KnownImage[]>;
  write(record: ImageRecord): Promise<void>;
  remove(name: string): Promise<void>;
  /** Notes that it was asked for. */
  touch(name: string, now: number): Promise<void>;
}

/** Opens them. */
export function imageRecords(folder: StoreFolder): ImageRecords {
  const place = (name: string): string => join(folder.names, `${hexOf(digestOf(name))}.json`);
  return {
    read: (name) => readFrom(place(name)),
    async list() {
      const files = (await readdir(folder.names)).filter((file) => file.endsWith(".json"));
      const known = await Promise.all(
        files.map(async (file) => {
          const path = join(folder.names, file);
          const [record, stats] = await Promise.all([readFrom(path), stat(path).catch(() => undefined)]);
          return record === undefined || stats === undefined ? [] : [{ ...record, usedAt: stats.mtimeMs }];
        }),
      );
      return known.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    write: (record) => writeWhole(place(record.name), JSON.stringify(record), { mode: 0o600 }),
    remove: (name) => rm(place(name), { force: true }),
    async touch(name, now) {
      // It may have been removed meanwhile.
      await utimes(place(name), now / 1000, now / 1000).catch(() => undefined);
    },
  };
}

async function readFrom(path: string): Promise<ImageRecord | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  // Only `write` writes these files, whole or not at all.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return text === undefined ? undefined : (JSON.parse(text) as ImageRecord);
}
