import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  linkSync,
  lchownSync,
  lutimesSync,
  chmodSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { readTar } from "../tar/read-tar.ts";
import type { TarEntry, TarSink } from "../tar/types.ts";
import { ImageError } from "./image-error.ts";
import { rootPath, type RootPath } from "./root-path.ts";

/** What all layers of an image together may hold. Counted down. */
export interface UnpackBudget {
  bytes: number;
  entries: number;
  /** Bytes of names, which are kept while a layer is unpacked. */
  names: number;
}

/** An extended attribute that a file is to have. */
export interface FileAttribute {
  readonly path: string;
  readonly name: string;
  readonly value: Buffer;
}

const whiteout = ".wh.";
const opaque = ".wh..wh..opq";
const mostAttributes = 10_000;

/**
 * Lays a layer over what is in a root already, as the OCI image specification says: files replace files, `.wh.` takes
 * away. Nothing is ever written into a file that is there: it may have other names in other roots. Devices and pipes are
 * left out, as a container's /dev is made by its runtime. Gives the attributes that are still to be set.
 *
 * The root is reached by nobody else meanwhile. Each call of the kernel takes microseconds and is made here; a thread
 * for each would take ten times as long. What may take long is waited for.
 */
export async function unpackLayer(
  tar: AsyncIterable<Uint8Array>,
  root: string,
  budget: UnpackBudget,
): Promise<readonly FileAttribute[]> {
  const layer = new LayerWriter(root, budget);
  try {
    await readTar(tar, (entry) => layer.add(entry));
  } finally {
    layer.close();
  }
  return layer.attributes;
}

class LayerWriter {
  readonly attributes: FileAttribute[] = [];
  readonly #inside: RootPath;
  readonly #budget: UnpackBudget;
  /** What this layer has brought: an opaque folder hides only what was there before. */
  readonly #own = new Set<string>();
  #lastFolder: { readonly name: string; readonly real: string } | undefined;
  #open: number | undefined;

  constructor(root: string, budget: UnpackBudget) {
    this.#inside = rootPath(root);
    this.#budget = budget;
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }

  add(entry: TarEntry): TarSink | undefined | Promise<TarSink | undefined> {
    this.#count(entry);
    const parts = partsOf(entry.name);
    const name = parts.pop();
    if (name === undefined) {
      if (entry.type === "folder") this.#finishFolder("", entry);
      return undefined;
    }
    const folder = this.#folderOf(parts);
    if (name.startsWith(whiteout)) return this.#hide(folder, name);
    if (entry.type === "other") return undefined;
    const path = join(folder, name);
    const before = this.#inside.look(path);
    this.#own.add(path);
    if (before === undefined) return this.#write(path, entry);
    if (before.isDirectory()) {
      if (entry.type === "folder") return this.#finishFolder(path, entry);
      return this.#remove(path).then(() => this.#write(path, entry));
    }
    this.#lastFolder = undefined;
    unlinkSync(this.#inside.onMachine(path));
    return this.#write(path, entry);
  }

  #count({ name, linkName, size, type }: TarEntry): void {
    const budget = this.#budget;
    budget.entries -= 1;
    budget.names -= name.length + linkName.length;
    if (type === "file") budget.bytes -= size;
    if (budget.entries < 0) throw new ImageError("TOO_LARGE", "the image has too many files");
    if (budget.names < 0)
      throw new ImageError("TOO_LARGE", "the names of the image's files take too much room");
    if (budget.bytes < 0) throw new ImageError("TOO_LARGE", "the image's files take too much room");
  }

  #folderOf(parts: readonly string[]): string {
    const name = parts.join("/");
    if (this.#lastFolder?.name === name) return this.#lastFolder.real;
    const real = this.#inside.folder(parts, true) ?? "";
    this.#lastFolder = { name, real };
    return real;
  }

  #write(path: string, entry: TarEntry): TarSink | undefined {
    switch (entry.type) {
      case "folder":
        mkdirSync(this.#inside.onMachine(path), 0o755);
        return this.#finishFolder(path, entry);
      case "symlink":
        this.#lastFolder = undefined;
        if (entry.linkName === "") throw new ImageError("UNSAFE", `the link "${entry.name}" leads nowhere`);
        symlinkSync(Buffer.from(entry.linkName, "latin1"), this.#inside.onMachine(path));
        lchownSync(this.#inside.onMachine(path), ...ownerOf(entry));
        lutimesSync(this.#inside.onMachine(path), entry.mtime, entry.mtime);
        return undefined;
      case "hardlink":
        linkSync(this.#inside.onMachine(this.#linked(entry)), this.#inside.onMachine(path));
        return undefined;
      case "file":
        return this.#file(path, entry);
      case "other":
        return undefined;
    }
  }

  #finishFolder(path: string, entry: TarEntry): undefined {
    const place = this.#inside.onMachine(path);
    lchownSync(place, ...ownerOf(entry));
    // It is a folder, and nobody else is here.
    chmodSync(place, entry.mode);
    this.#note(path, entry);
    return undefined;
  }

  #file(path: string, entry: TarEntry): TarSink {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = openSync(this.#inside.onMachine(path), flags, 0o600);
    this.#open = file;
    return {
      data(bytes) {
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      },
      end: () => {
        // The owner first: a change of it takes set-uid away.
        fchownSync(file, ...ownerOf(entry));
        fchmodSync(file, entry.mode);
        futimesSync(file, entry.mtime, entry.mtime);
        this.close();
        this.#note(path, entry);
      },
    };
  }

  #linked(entry: TarEntry): string {
    const parts = partsOf(entry.linkName);
    const name = parts.pop() ?? "";
    const folder = this.#inside.folder(parts, false);
    const path = folder === undefined ? "" : join(folder, name);
    const found = path === "" ? undefined : this.#inside.look(path);
    if (found === undefined || found.isDirectory()) {
      throw new ImageError(
        "UNSAFE",
        `"${entry.name}" is a link to "${entry.linkName}", which is no file of the image`,
      );
    }
    return path;
  }

  #note(path: string, { xattrs }: TarEntry): void {
    for (const [name, value] of xattrs) {
      // Others are for the machine that the image was made on: SELinux, ACLs of its users, marks of an overlay.
      if (name !== "security.capability" && !name.startsWith("user.")) continue;
      this.attributes.push({ path, name, value });
      if (this.attributes.length > mostAttributes) {
        throw new ImageError("TOO_LARGE", "the image's files have too many extended attributes");
      }
    }
  }

  async #hide(folder: string, name: string): Promise<undefined> {
    if (name === opaque) {
      for (const child of await readdir(this.#inside.onMachine(folder), { encoding: "latin1" })) {
        if (!this.#own.has(join(folder, child))) await this.#remove(join(folder, child));
      }
      return undefined;
    }
    // Notes of an old file system (aufs) to itself.
    if (name.startsWith(`${whiteout}${whiteout}`)) return undefined;
    const hidden = name.slice(whiteout.length);
    if (hidden === "" || hidden === "." || hidden === "..") {
      throw new ImageError("UNSAFE", `"${name}" takes away what is no file`);
    }
    const path = join(folder, hidden);
    if (!this.#own.has(path)) await this.#remove(path);
    return undefined;
  }

  async #remove(path: string): Promise<void> {
    this.#lastFolder = undefined;
    await rm(this.#inside.onMachine(path), { recursive: true, force: true });
  }
}

/** The parts of a name in an archive. One that leads upwards is no accident. */
function partsOf(name: string): string[] {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new ImageError("UNSAFE", `the name "${name}" leads out of the image`);
  if (name.length > 4096 || parts.some((part) => part.length > 255)) {
    throw new ImageError("UNSAFE", `the name "${name.slice(0, 100)}…" is too long`);
  }
  return parts;
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function ownerOf({ uid, gid, name }: TarEntry): [uid: number, gid: number] {
  if (uid < 0xffffffff && gid < 0xffffffff) return [uid, gid];
  throw new ImageError("UNSAFE", `"${name}" belongs to ${uid}:${gid}, which no file can belong to`);
}
