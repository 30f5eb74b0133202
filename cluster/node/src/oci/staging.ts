import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, open, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { hexOf, type Digest } from "./digest.ts";
import { longestJson } from "./descriptor.ts";
import { ImageError } from "./image-error.ts";
import type { StoreFolder } from "./store-folder.ts";

/** What content must be. */
export interface Expected {
  readonly digest?: Digest | undefined;
  /** Bytes; more are refused. */
  readonly limit: number;
  /** For the error. */
  readonly what: string;
}

/** How content is kept. */
export interface StagingOptions {
  /** Whether it is on the disk for sure before it counts. What can be made again at once need not be. */
  readonly durable: boolean;
}

/** Content of an image that is being brought. Others see nothing of it before it is taken over whole. */
export interface Staging extends AsyncDisposable {
  readonly folder: string;
  /** Whether it was put here, or the store has it. */
  has(digest: Digest): boolean;
  /** Where it lies. */
  place(digest: Digest): string;
  put(source: AsyncIterable<Uint8Array>, expected: Expected): Promise<Digest>;
  /** Opens a file for content that comes in several attempts. */
  partial(): Promise<PartialBlob>;
  /** A document, whose size is bounded. */
  read(digest: Digest): Promise<Buffer>;
  /** Moves those of these that were put here into the store. */
  settle(wanted: readonly Digest[]): Promise<void>;
}

/** Content of which a part has come. */
export interface PartialBlob {
  readonly bytes: number;
  add(chunk: Uint8Array): Promise<void>;
  /** What has come is wrong: begins anew. */
  restart(): Promise<void>;
  /** Checks it, and makes it part of the staging. */
  finish(expected: Expected): Promise<Digest>;
  close(): Promise<void>;
}

/** Opens an empty one. */
export async function openStaging(store: StoreFolder, { durable }: StagingOptions): Promise<Staging> {
  const folder = await mkdtemp(join(store.incoming, "image-"));
  const digests = new Set<Digest>();
  let count = 0;
  const own = (digest: Digest): string => join(folder, hexOf(digest));
  const place = (digest: Digest): string => (digests.has(digest) ? own(digest) : store.blob(digest));
  const partial = async (): Promise<PartialBlob> => {
    const path = join(folder, `part-${(count += 1)}`);
    return new PartialFile(await open(path, "wx", 0o600), durable, async (digest) => {
      await rename(path, own(digest));
      digests.add(digest);
    });
  };
  return {
    folder,
    async settle(wanted) {
      for (const digest of wanted.filter((each) => digests.has(each))) {
        await rename(own(digest), store.blob(digest));
        digests.delete(digest);
      }
    },
    has: (digest) => existsSync(place(digest)),
    place,
    partial,
    async put(source, expected) {
      const part = await partial();
      try {
        for await (const chunk of source) {
          if (part.bytes + chunk.length > expected.limit) throw tooLarge(expected);
          await part.add(chunk);
        }
        return await part.finish(expected);
      } finally {
        await part.close();
      }
    },
    async read(digest) {
      const { size } = await stat(place(digest));
      if (size > longestJson)
        throw new ImageError("TOO_LARGE", `the document ${digest} is larger than 4 MiB`);
      return await readFile(place(digest));
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

class PartialFile implements PartialBlob {
  readonly #file: FileHandle;
  readonly #keep: (digest: Digest) => Promise<void>;
  readonly #durable: boolean;
  #hash = createHash("sha256");
  #isOpen = true;
  bytes = 0;

  constructor(file: FileHandle, durable: boolean, keep: (digest: Digest) => Promise<void>) {
    this.#file = file;
    this.#durable = durable;
    this.#keep = keep;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk);
    await this.#file.write(chunk, 0, chunk.length, this.bytes);
    this.bytes += chunk.length;
  }

  async restart(): Promise<void> {
    this.#hash = createHash("sha256");
    this.bytes = 0;
    await this.#file.truncate(0);
  }

  async finish(expected: Expected): Promise<Digest> {
    const digest: Digest = `sha256:${this.#hash.digest("hex")}`;
    if (expected.digest !== undefined && digest !== expected.digest) {
      throw new ImageError(
        "CORRUPT",
        `${expected.what} has the digest ${digest}, but it must have ${expected.digest}`,
      );
    }
    if (this.bytes > expected.limit) throw tooLarge(expected);
    if (this.#durable) await this.#file.sync();
    await this.close();
    await this.#keep(digest);
    return digest;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }
}

function tooLarge({ what, limit }: Expected): ImageError {
  return new ImageError("TOO_LARGE", `${what} is larger than ${limit} bytes`);
}
