import { readPaxRecords } from "./pax-records.ts";
import { TarError } from "./tar-error.ts";
import { readTarHeader, tarBlock, type TarHeader } from "./tar-header.ts";
import type { TarEntry, TarSink, TarType } from "./types.ts";

/** Who is told of an entry; what it returns gets the content. A promise is waited for. */
export type TarVisitor = (
  entry: TarEntry,
  offset: number,
) => TarSink | undefined | Promise<TarSink | undefined>;

/** Longer names and more attributes than this no file has. */
const longestExtension = 1 << 20;
const xattrPrefix = "SCHILY.xattr.";

/**
 * Reads an archive as it comes, in pieces of any size, and keeps no more of it than one header. Knows the formats of
 * POSIX and GNU. `offset` is where the content begins. All that comes is read, also what follows the archive's end.
 */
export async function readTar(source: AsyncIterable<Uint8Array>, visit: TarVisitor): Promise<void> {
  const parser = new TarParser(visit);
  for await (const chunk of source) {
    await parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  parser.end();
}

class TarParser {
  readonly #visit: TarVisitor;
  /** The part of a header, or of an extension, that has come. */
  #parts: Buffer[] = [];
  #have = 0;
  #want = tarBlock;
  #state: "header" | "extension" | "content" | "padding" | "over" = "header";
  #header: TarHeader | undefined;
  #sink: TarSink | undefined;
  #pax: ReadonlyMap<string, Buffer> = new Map();
  #longName: string | undefined;
  #longLink: string | undefined;
  #left = 0;
  #padding = 0;
  #offset = 0;

  constructor(visit: TarVisitor) {
    this.#visit = visit;
  }

  async write(chunk: Buffer): Promise<void> {
    let at = 0;
    while (at < chunk.length) {
      const before = at;
      if (this.#state === "over") return;
      if (this.#state === "header" || this.#state === "extension") {
        const part = chunk.subarray(at, at + this.#want - this.#have);
        this.#parts.push(part);
        this.#have += part.length;
        at += part.length;
      } else {
        const part = chunk.subarray(at, at + this.#left);
        if (this.#state === "content") this.#sink?.data(part);
        this.#left -= part.length;
        at += part.length;
      }
      this.#offset += at - before;
      const step = this.#step();
      if (step !== undefined) await step;
    }
  }

  /** Programs differ in how much they write after the last entry; one that is cut off is an error. */
  end(): void {
    if (this.#state === "over" || (this.#state === "header" && this.#have === 0)) return;
    throw new TarError("the archive is cut off");
  }

  #step(): Promise<void> | undefined {
    switch (this.#state) {
      case "header":
        return this.#have < this.#want ? undefined : this.#readHeader(this.#take());
      case "extension":
        if (this.#have === this.#want) this.#readExtension(this.#take());
        return undefined;
      case "content":
        if (this.#left === 0) {
          this.#sink?.end();
          this.#sink = undefined;
          this.#pad();
        }
        return undefined;
      case "padding":
        if (this.#left === 0) this.#state = "header";
        return undefined;
      case "over":
        return undefined;
    }
  }

  #take(): Buffer {
    const [only] = this.#parts;
    const all = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#have = 0;
    this.#want = tarBlock;
    return all;
  }

  #pad(): void {
    this.#left = this.#padding;
    this.#state = this.#left === 0 ? "header" : "padding";
  }

  #readHeader(block: Buffer): Promise<void> | undefined {
    const header = readTarHeader(block);
    if (header === undefined) {
      this.#state = "over";
      return undefined;
    }
    this.#padding = paddingOf(header.size);
    if (header.flag === "x" || header.flag === "g" || header.flag === "L" || header.flag === "K") {
      if (header.size > longestExtension) throw new TarError("an extended header is larger than 1 MiB");
      this.#header = header;
      this.#want = header.size;
      this.#state = "extension";
      // Nothing will come that could be waited for.
      if (header.size === 0) this.#readExtension(Buffer.alloc(0));
      return undefined;
    }
    return this.#begin(header);
  }

  #readExtension(content: Buffer): void {
    const { flag } = this.#header ?? {};
    if (flag === "x") this.#pax = readPaxRecords(content);
    if (flag === "L") this.#longName = untilZero(content);
    if (flag === "K") this.#longLink = untilZero(content);
    this.#want = tarBlock;
    this.#pad();
  }

  #begin(header: TarHeader): Promise<void> | undefined {
    const entry = this.#entryOf(header);
    this.#pax = new Map();
    this.#longName = undefined;
    this.#longLink = undefined;
    this.#padding = paddingOf(entry.size);
    const goOn = (sink: TarSink | undefined): void => {
      this.#sink = sink;
      this.#left = entry.size;
      this.#state = "content";
      if (entry.size > 0) return;
      sink?.end();
      this.#sink = undefined;
      this.#pad();
    };
    const sink = this.#visit(entry, this.#offset);
    if (sink instanceof Promise) return sink.then(goOn);
    goOn(sink);
    return undefined;
  }

  #entryOf(header: TarHeader): TarEntry {
    const pax = this.#pax;
    if (header.flag === "S" || pax.has("GNU.sparse.major") || pax.has("GNU.sparse.map")) {
      throw new TarError(`"${header.name}" is stored as a sparse file, which Kedge does not read`);
    }
    const name = pax.get("path")?.toString("latin1") ?? this.#longName ?? header.name;
    const linkName = pax.get("linkpath")?.toString("latin1") ?? this.#longLink ?? header.linkName;
    if (name.includes("\0") || linkName.includes("\0")) throw new TarError("a name has a zero byte in it");
    const xattrs = new Map<string, Buffer>();
    for (const [key, value] of pax) {
      if (key.startsWith(xattrPrefix)) xattrs.set(key.slice(xattrPrefix.length), Buffer.from(value));
    }
    // A name with a slash at its end was a folder before there were types.
    const type = header.flag === "0" && name.endsWith("/") ? "folder" : (types.get(header.flag) ?? "other");
    const size = paxNumber(pax, "size") ?? header.size;
    return {
      name,
      type,
      mode: header.mode,
      uid: paxNumber(pax, "uid") ?? header.uid,
      gid: paxNumber(pax, "gid") ?? header.gid,
      // Only files have content, but some programs write the size of what a hard link leads to.
      size: type === "file" || type === "other" ? size : type === "hardlink" ? 0 : header.size,
      mtime: Math.floor(paxNumber(pax, "mtime") ?? header.mtime),
      linkName,
      xattrs,
    };
  }
}

const types: ReadonlyMap<string, TarType> = new Map([
  ["0", "file"],
  ["7", "file"],
  ["1", "hardlink"],
  ["2", "symlink"],
  ["5", "folder"],
]);

function paddingOf(size: number): number {
  return (tarBlock - (size % tarBlock)) % tarBlock;
}

function untilZero(content: Buffer): string {
  const end = content.indexOf(0);
  return content.toString("latin1", 0, end === -1 ? content.length : end);
}

function paxNumber(pax: ReadonlyMap<string, Buffer>, key: string): number | undefined {
  const text = pax.get(key)?.toString("latin1");
  if (text === undefined) return undefined;
  const value = Number(text);
  if (
    /^-?\d+(?:\.\d*)?$/u.test(text) &&
    Number.isSafeInteger(Math.floor(value)) &&
    (value >= 0 || key === "mtime")
  ) {
    return value;
  }
  throw new TarError(`"${text}" is no ${key} of an extended header`);
}
