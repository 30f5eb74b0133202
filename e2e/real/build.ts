import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realClock } from "@kedge/machinery";
import { canBuildReal, type CanBuild } from "./go.ts";
import { withLock } from "./lock.ts";
import { goModules, missingPrograms, moduleCache, realCache, type GoModule } from "./programs.ts";

/** What the build needs to be told. */
export interface BuildOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets one line for each step, without the line's end. */
  readonly print: (line: string) => void;
  /** Default: looks for Go on this machine. */
  readonly findGo?: (env: BuildOptions["env"]) => Promise<CanBuild>;
}

/** What came of it. */
export type BuildResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Builds what is missing of the real programs into Kedge's cache folder. Not ok: this machine cannot, and why. Throws
 * when it should have been able to.
 */
export async function buildReal(options: BuildOptions): Promise<BuildResult> {
  return missingPrograms(options.env).length === 0 ? { ok: true } : await buildModules(goModules(), options);
}

/** Builds what is missing of these modules; else the same. */
export async function buildModules(
  modules: readonly GoModule[],
  options: BuildOptions,
): Promise<BuildResult> {
  const { env, print, findGo = canBuildReal } = options;
  const can = await findGo(env);
  if (!can.ok) return can;
  const onWait = (owner: number): void => print(`waiting for process ${owner}, which builds them too`);
  await withLock(join(realCache(env), "build.lock"), onWait, async () => {
    for (const module of modules) await buildModule(module, can.go, options);
  });
  return { ok: true };
}

async function buildModule(module: GoModule, go: string, { env, print }: BuildOptions): Promise<void> {
  const folder = moduleCache(module, env);
  await mkdir(folder, { recursive: true });
  for (const [program, path] of Object.entries(module.packages)) {
    const target = join(folder, program);
    if (existsSync(target)) continue;
    const start = realClock.monotonic();
    print(`building ${program} ${module.version} (once)`);
    await removeLeftovers(target);
    const temporary = `${target}.${process.pid}.tmp`;
    await goBuild(go, { module, path, env, output: temporary });
    await rename(temporary, target);
    print(`built ${program} ${module.version} in ${Math.round((realClock.monotonic() - start) / 1000)}s`);
  }
}

/** What a build that was killed has left. We hold the lock: nobody writes these any more. */
async function removeLeftovers(target: string): Promise<void> {
  for (const name of await readdir(dirname(target))) {
    if (name.startsWith(`${basename(target)}.`)) await rm(join(dirname(target), name), { force: true });
  }
}

interface GoBuild {
  readonly module: GoModule;
  readonly path: string;
  readonly env: BuildOptions["env"];
  readonly output: string;
}

async function goBuild(go: string, { module, path, env, output }: GoBuild): Promise<void> {
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", module.ldflags];
  const child = spawn(go, ["build", ...flags, "-o", output, path], {
    cwd: module.folder,
    // Without C: no compiler is needed, and the programs run wherever they are copied.
    env: { ...env, CGO_ENABLED: "0", GOWORK: "off" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  if (code === 0) return;
  const message = said.join("").trimEnd().split("\n").slice(-20).join("\n");
  throw new Error(
    `go could not build ${path}:\n${message}\nCheck the network (go env GOPROXY), then run this again`,
  );
}

/** Exit code when this machine cannot build, which is no failure. `kedge test real` knows it. */
const cannot = 69;

if (import.meta.main) {
  const result = await buildReal({
    env: process.env,
    print: (line) => process.stderr.write(`kedge: ${line}\n`),
  });
  if (!result.ok) {
    process.stdout.write(`${result.reason}\n`);
    process.exitCode = cannot;
  }
}
