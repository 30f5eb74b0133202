import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlesInUse } from "./bundles-in-use.ts";
import { isIntact } from "./manifest.ts";
import { sourceKey } from "./source-key.ts";
import { writeBundle } from "./write-bundle.ts";

/** What refreshing takes. */
export interface RefreshOptions {
  /** Of the workspace. */
  readonly root: string;
  /** Told before a bundle is made: that takes a moment. */
  readonly onBuild: () => void;
  /** Makes one in a folder; the real one unless a test says otherwise. */
  readonly write?: (root: string, folder: string) => Promise<void>;
}

/** Where the bundles of a workspace are: below node_modules, since they import from there, and go when that goes. */
export function bundlesFolder(root: string): string {
  return join(root, "node_modules/.kedge-bundle");
}

/**
 * Sees to it that `current` names a whole bundle of the sources as they are now, making it if need be.
 *
 * `current` is older than any later change of a source or of the bundle: the launcher looks for one that is newer. So it
 * is written before the sources are read for the last time, and moved into place when they are still the same. Nobody
 * waits for anybody: who makes the same bundle at the same time finds that the other was first.
 */
export async function refreshBundle({ root, onBuild, write = writeBundle }: RefreshOptions): Promise<void> {
  const folder = bundlesFolder(root);
  const work = join(folder, `tmp.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    for (;;) {
      const key = sourceKey(root);
      if (!isIntact(join(folder, key, "code"))) {
        onBuild();
        await build(key, { root, folder, work, write });
      }
      const current = join(work, "current");
      writeFileSync(current, `${key}\n`);
      if (sourceKey(root) !== key) continue;
      renameSync(current, join(folder, "current"));
      removeOld(folder, key);
      return;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Building extends Required<Pick<RefreshOptions, "root" | "write">> {
  readonly folder: string;
  readonly work: string;
}

async function build(key: string, { root, folder, work, write }: Building): Promise<void> {
  const made = join(work, key);
  await write(root, join(made, "code"));
  const place = join(folder, key);
  // A damaged one is moved away whole: who runs it does not find a mixture.
  if (existsSync(place) && !isIntact(join(place, "code"))) renameSync(place, join(work, `damaged-${key}`));
  try {
    renameSync(made, place);
  } catch (error) {
    if (!isIntact(join(place, "code"))) throw error;
  }
}

/** How many bundles are kept that nobody seems to use: one may be about to start, and branches are switched back. */
const spare = 2;

function removeOld(folder: string, key: string): void {
  const inUse = bundlesInUse(folder);
  const others = readdirSync(folder)
    .filter((name) => name !== key && name !== "current" && !name.startsWith("tmp."))
    .map((name) => ({ name, changed: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.changed - a.changed)
    .slice(spare)
    .filter(({ name }) => !inUse.has(name));
  const left = readdirSync(folder).filter(
    (name) => name.startsWith("tmp.") && !isAlive(Number(name.slice(4))),
  );
  for (const name of [...others.map((other) => other.name), ...left])
    rmSync(join(folder, name), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
