import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@kedge/network/remove-tree";
import { writeWhole } from "@kedge/network/write-whole";
import type { ProcessIdentity } from "./processes.ts";

/** What is kept on disk about a container, so that the next runtime can go on with it. */
export interface ContainerRecord {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly podUid: string;
  /** The container's first process and its monitor; absent while it is being made. */
  readonly process?: ProcessIdentity;
  readonly monitor?: ProcessIdentity;
  /** Milliseconds since 1970. */
  readonly startedAt?: number;
  /** Its processes are not alone in their namespace: they do not end with the first of them. */
  readonly sharesProcesses?: boolean;
}

/** How a container ended. */
export interface ContainerExit {
  readonly exitCode: number;
  readonly finishedAt: number;
}

/** The folders of one runtime, and what is read and written in them. */
export interface ContainerFolders {
  readonly root: string;
  /** Runc's own state. */
  readonly runc: string;
  /** A file for each container that has ended, named after it. */
  readonly exits: string;
  readonly sockets: string;
  /** What belongs to commands while they run; nothing in it outlives the runtime that started them. */
  readonly execs: string;
  /** A folder for each container: its OCI bundle, its writable file system, its record. */
  readonly containers: string;
  bundle(id: string): string;
  ids(): Promise<readonly string[]>;
  read(id: string): Promise<ContainerRecord | undefined>;
  write(record: ContainerRecord): Promise<void>;
  exit(id: string): Promise<ContainerExit | undefined>;
  writeExit(id: string, exitCode: number): Promise<void>;
  /** Runc's pipe of a container that waits to be told to start; it is there exactly as long. */
  startPipe(id: string): string;
  /** Whether it still waits. */
  awaitsStart(id: string): boolean;
  wasOutOfMemory(id: string): boolean;
  remove(id: string): Promise<void>;
}

/** The layout of a runtime's folder. */
export function containerFolders(root: string): ContainerFolders {
  const folder = (name: string): string => join(root, name);
  const bundle = (id: string): string => join(root, "containers", id);
  const startPipe = (id: string): string => join(root, "runc", id, "exec.fifo");
  const exitFile = (id: string): string => join(root, "exits", id);
  return {
    root,
    runc: folder("runc"),
    exits: folder("exits"),
    sockets: folder("sockets"),
    execs: folder("execs"),
    containers: folder("containers"),
    bundle,
    ids: async () => await readdir(folder("containers")).catch(() => []),
    async read(id) {
      const text = await readFile(join(bundle(id), "container.json"), "utf8").catch(() => undefined);
      return text === undefined ? undefined : recordFrom(JSON.parse(text));
    },
    async write(record) {
      await writeWhole(join(bundle(record.id), "container.json"), JSON.stringify(record), { mode: 0o600 });
    },
    async exit(id) {
      const [text, file] = await Promise.all([
        readFile(exitFile(id), "utf8").catch(() => undefined),
        stat(exitFile(id)).catch(() => undefined),
      ]);
      if (text === undefined || file === undefined) return undefined;
      return { exitCode: Number(text.trim()), finishedAt: Math.round(file.mtimeMs) };
    },
    writeExit: async (id, exitCode) => await writeWhole(exitFile(id), String(exitCode)),
    startPipe,
    awaitsStart: (id) => existsSync(startPipe(id)),
    wasOutOfMemory: (id) => existsSync(join(bundle(id), "oom")),
    async remove(id) {
      await rm(join(root, "sockets", id), { force: true });
      await removeTree(bundle(id));
      // The second one is left by a kill while it was written.
      for (const file of [exitFile(id), `${exitFile(id)}.new`]) await rm(file, { force: true });
    },
  };
}

function recordFrom(value: unknown): ContainerRecord | undefined {
  // Only this file writes records, whole or not at all.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value as ContainerRecord;
}
