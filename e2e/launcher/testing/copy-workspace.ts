import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

const root = resolve(import.meta.dirname, "../../..");
const naming = resolve(import.meta.dirname, "name-program.ts");

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** Without the line of `program`. */
  readonly stderr: string;
  /** The program that Node.js ran for the command. */
  readonly program: string;
}

/** A copy of the sources with the real Node.js and the installed dependencies, on a machine without npm and network. */
export interface WorkspaceCopy extends AsyncDisposable {
  readonly folder: string;
  readonly bundles: string;
  kedge(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
}

/** Copies the workspace; dispose of it to remove it. */
export async function copyWorkspace(): Promise<WorkspaceCopy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "kedge-bundle-")));
  for (const name of [
    "kedge",
    "package-lock.json",
    "package.json",
    "cli",
    "packages",
    "cluster",
    "operators",
  ]) {
    const filter = (path: string): boolean => !/\/(?:dist|node_modules)$|\.test\.ts$/u.test(path);
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  }
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  for (const name of await readdir(join(root, "node_modules"))) {
    const installed = join(root, "node_modules", name);
    if (!name.startsWith(".") && name !== "@kedge") await symlink(installed, join(modules, name));
  }
  await cp(join(root, "node_modules/@kedge"), join(modules, "@kedge"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const runtime = `${process.platform}-${process.arch} ${process.versions.node.split(".")[0]}\n`;
  await cp(join(folder, "package-lock.json"), join(modules, ".kedge-lock.json"));
  await writeFile(join(modules, ".kedge-runtime"), runtime);
  const cache = join(folder, "cache");
  await mkdir(cache);
  await writeFile(join(cache, "node"), `${process.execPath}\n${runtime}`);
  return {
    folder,
    bundles: join(modules, ".kedge-bundle"),
    async kedge(args, env = {}) {
      const child = spawn(join(folder, "kedge"), args, {
        env: { PATH: "/usr/bin:/bin", KEDGE_CACHE: cache, NODE_OPTIONS: `--import=${naming}`, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const exited = new Promise<number | null>((done, fail) => child.on("error", fail).on("close", done));
      const [code, stdout, said] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
      const lines = said.split("\n");
      const programs = lines.filter((line) => line.startsWith("runs "));
      const stderr = lines.filter((line) => !line.startsWith("runs ")).join("\n");
      return { code, stdout, stderr, program: programs.at(-1)?.slice("runs ".length) ?? "" };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
