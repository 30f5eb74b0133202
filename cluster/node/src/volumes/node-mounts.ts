import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rm, writeFile, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { hasCode, type Clock } from "@kedge/machinery";
import { writeWhole } from "@kedge/network/write-whole";
import { fitImage } from "./fit-image.ts";
import { mountState, type MountRecord } from "./mount-record.ts";
import { parseMounts, type Mount } from "./mount-table.ts";

/** What a node mounts on its machine. */
export interface NodeMounts {
  /** Makes a folder whose contents never reach a disk; does nothing when it is there. `sizeBytes`: most that fits in. */
  memory(
    path: string,
    options: { readonly mode: number; readonly sizeBytes?: number | undefined },
  ): Promise<void>;
  /** Shows what a descriptor stands for at a path where nothing is yet. */
  bind(handle: FileHandle, path: string): Promise<void>;
  /** Shows the file system in a file at a path, by a loop device that goes with it; does nothing when it is there. */
  image(file: string, path: string): Promise<void>;
  /** Takes away those of its mounts that were made at or below a path, and no others. */
  removeBelow(path: string): Promise<void>;
}

/** What mounts are made with. */
export interface NodeMountsOptions {
  /** The node's: the records lie in it. */
  readonly folder: string;
  readonly clock: Clock;
}

const commandTimeoutMs = 60_000;

/**
 * Mounts by the `mount` program; needs root. Each is on record before it is made, and only what is on record is ever
 * unmounted: what else is mounted in the node's folder, or what the folder lies on, belongs to somebody else.
 */
export function createNodeMounts({ folder, clock }: NodeMountsOptions): NodeMounts {
  const records = join(resolve(folder), "mounts");
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    using deadline = clock.deadline(commandTimeoutMs);
    const { stdout } = await clock.track(promisify(execFile)(program, args, { signal: deadline.signal }));
    return stdout;
  };
  let images = Promise.resolve();
  /** One after the other: two pods may want the same one at once. */
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    const before = images;
    const done = Promise.withResolvers<void>();
    images = done.promise;
    await before;
    try {
      await work();
    } finally {
      done.resolve();
    }
  };
  let tidied: Promise<void> | undefined;
  /** Before anything is written here: records that an agent was killed over. Nothing was mounted for them. */
  const tidy = (): Promise<void> => (tidied ??= clock.track(removeHalves(records)));
  const record = async (one: MountRecord): Promise<void> => {
    await tidy();
    await mkdir(records, { recursive: true, mode: 0o700 });
    await clock.track(writeWhole(join(records, one.name), JSON.stringify(one), { mode: 0o600 }));
  };
  return {
    async memory(path, { mode, sizeBytes }) {
      await mkdir(path, { recursive: true });
      const one = recordOf(await realpath(path), "tmpfs");
      const before = mountState(one, await mounts());
      if (before.state === "mounted" && before.path === one.path) return;
      await record(one);
      const size = sizeBytes === undefined ? [] : [`size=${sizeBytes}`];
      const options = [`mode=${mode.toString(8)}`, "nosuid", "nodev", ...size].join(",");
      await run("mount", ["-t", "tmpfs", "-o", options, one.name, path]);
    },
    async bind(handle, path) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if ((await handle.stat()).isDirectory()) await mkdir(path);
      else await writeFile(path, "", { flag: "wx", mode: 0o600 });
      await record(recordOf(await realpath(path), "bind"));
      // The program must not make another path of it first: what lies there by now may be something else.
      const source = `/proc/${process.pid}/fd/${handle.fd}`;
      await run("mount", ["--no-canonicalize", "--bind", source, path]);
    },
    image: (file, path) =>
      inTurn(async () => {
        await mkdir(path, { recursive: true });
        const one = recordOf(await realpath(path), "image");
        if (mountState(one, await mounts()).state === "mounted") return;
        await record(one);
        await fitImage(file, run, clock);
        await run("mount", ["-t", "ext4", "-o", "loop,nosuid,nodev", file, path]);
      }),
    async removeBelow(path) {
      await tidy();
      const real = await realpath(path).catch(() => resolve(path));
      const ours = (await recordsIn(records)).filter(
        (one) => one.path === real || one.path.startsWith(`${real}/`),
      );
      // The deepest first.
      for (const one of ours.toSorted((a, b) => b.path.length - a.path.length)) {
        const mount = mountState(one, await mounts());
        if (mount.state === "mounted") await run("umount", ["--no-canonicalize", "--lazy", mount.path]);
        if (mount.state !== "covered") await rm(join(records, one.name), { force: true });
      }
    },
  };
}

/** Ordinary folders, where nothing secret is and nobody is root: simulations and tests. */
export const plainFolders: NodeMounts = {
  memory: async (path, { mode }) => {
    await mkdir(path, { recursive: true, mode });
  },
  bind: () => Promise.resolve(),
  image: () => Promise.resolve(),
  removeBelow: () => Promise.resolve(),
};

/** One path has one name, so that what is there already is found again. */
function recordOf(path: string, type: MountRecord["type"]): MountRecord {
  const name = `kedge-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`;
  return { name, path, type };
}

async function mounts(): Promise<readonly Mount[]> {
  return parseMounts(await readFile("/proc/self/mountinfo", "utf8"));
}

/** What `writeWhole` leaves when it is cut off. */
async function removeHalves(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name.endsWith(".new")) await rm(join(folder, name), { force: true });
}

async function recordsIn(folder: string): Promise<readonly MountRecord[]> {
  const names = await readdir(folder).catch(() => []);
  // Other pods come and go meanwhile, and their records with them.
  const read = names.map(async (name) => recordFrom(await readIfThere(join(folder, name))));
  return (await Promise.all(read)).filter((record) => record !== undefined);
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return "";
  }
}

/** Half-written ones were never mounted. */
function recordFrom(text: string): MountRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [name, path, type] = ["name", "path", "type"].map((field) => fields.get(field));
  if (typeof name !== "string" || typeof path !== "string") return undefined;
  return type === "tmpfs" || type === "bind" || type === "image" ? { name, path, type } : undefined;
}
