import { execFile, execFileSync } from "node:child_process";
import { chmod, chown, copyFile, link, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cliProgram, root, type CliResult } from "../../cluster/testing/run-cli.ts";

/** `nobody`, as all Linux machines have it. */
const uid = 65_534;

/** Somebody who is not root, with a home folder of their own, and this workspace to read. */
export interface AnotherUser extends AsyncDisposable {
  readonly home: string;
  /** Runs a command of the CLI, at home. */
  kedge(...args: readonly string[]): Promise<CliResult>;
}

/** Why nobody else's commands can be run here; undefined when they can. */
export function whyNoOtherUser(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "to become another user needs root";
  try {
    execFileSync("test", ["-r", join(root, "package.json")], { uid, gid: uid });
    return undefined;
  } catch {
    return `another user cannot read ${root}`;
  }
}

/** Makes one. Its cache has Node.js, as after the first run of the launcher by somebody who may install it. */
export async function anotherUser(): Promise<AnotherUser> {
  const folder = await mkdtemp(join(tmpdir(), "kedge-user-"));
  await chmod(folder, 0o755);
  const [home, cache, node] = ["home", "cache", "node"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  for (const path of [home, cache]) {
    await mkdir(path);
    await chown(path, uid, uid);
  }
  const [major] = process.versions.node.split(".");
  await writeFile(join(cache, "node"), `${node}\n${process.platform}-${process.arch} ${major}\n`);
  const env = { HOME: home, KEDGE_CACHE: cache, PATH: "/usr/bin:/bin" };
  return {
    home,
    async kedge(...args) {
      const { promise, resolve } = Promise.withResolvers<CliResult>();
      const options = { cwd: home, env, uid, gid: uid, timeout: 240_000 };
      execFile(cliProgram, args, options, (error, stdout, stderr) => {
        const code = typeof error?.code === "number" ? error.code : error === null ? 0 : null;
        resolve({ code, stdout, stderr });
      });
      return await promise;
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
