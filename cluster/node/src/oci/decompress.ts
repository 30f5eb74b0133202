import { createHash } from "node:crypto";
import { pipeline, Transform, type Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { Digest } from "./digest.ts";
import { ImageError } from "./image-error.ts";

/** Whoever reads the end of a pipeline hears of every failure in it. */
const ended = (): void => undefined;

/** The content of a layer, and what it turned out to be once it was read to its end. */
export interface Decompressed {
  readonly content: Readable;
  digest(): Digest;
}

/**
 * Undoes the compression that the first bytes tell of: gzip, zstd or none. Content beyond `limit` bytes is an error:
 * a small file may hold a huge one.
 */
export function decompress(source: Readable, first: Buffer, limit: number): Decompressed {
  const hash = createHash("sha256");
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      if (bytes > limit) done(new ImageError("TOO_LARGE", `a layer holds more than ${limit} bytes`));
      else done(null, chunk);
    },
  });
  const unzip = decompressorFor(first);
  if (unzip === undefined) pipeline(source, counted, ended);
  else pipeline(source, unzip, counted, ended);
  return { content: counted, digest: () => `sha256:${hash.digest("hex")}` };
}

function decompressorFor(first: Buffer): Transform | undefined {
  if (first[0] === 0x1f && first[1] === 0x8b) return createGunzip();
  if (first.length >= 4 && first.readUInt32LE(0) === 0xfd2fb528) return createZstdDecompress();
  if (first[0] === 0x42 && first[1] === 0x5a) throw unknown("bzip2");
  if (first[0] === 0xfd && first.toString("latin1", 1, 5) === "7zXZ") throw unknown("xz");
  return undefined;
}

function unknown(format: string): ImageError {
  return new ImageError("ARCHIVE", `a layer is compressed by ${format}: images use gzip or zstd`);
}
