import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";

const root = resolve(import.meta.dirname, "../..");

/** What users start. */
export const launcher = join(root, "kedge");

/** The environment of a user: without what the launcher that started this benchmark has set for sources. */
export const userEnvironment: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: undefined };

/** Runs a command to its end. */
export function kedge(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(launcher, args, { encoding: "utf8", env: userEnvironment });
  if (status !== 0) throw new Error(`kedge ${args.join(" ")} ended with ${status}: ${stderr}`);
}

/** Starts one that stays. */
export function startKedge(...args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(launcher, args, { stdio: ["ignore", "pipe", "inherit"], env: userEnvironment });
}

/** A program of the bundle that the launcher runs, and where that has its compile cache. */
export function bundled(program: string): { readonly path: string; readonly compileCache: string } {
  const bundles = join(root, "node_modules/.kedge-bundle");
  const key = readFileSync(join(bundles, "current"), "utf8").trim();
  return { path: join(bundles, key, "code", program), compileCache: join(bundles, key, "compiled") };
}
