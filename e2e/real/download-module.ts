import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The folder of a module. Also of one that needs a newer Go than is here: only its data is read. */
export async function downloadedModule(module: string, version: string): Promise<string> {
  const args = ["mod", "download", "-json", `${module}@${version}`];
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
  const run = promisify(execFile)("go", args, { env, cwd: tmpdir() });
  const { stdout } = await run.catch((error: unknown) => {
    if (error instanceof Error && "stdout" in error) return { stdout: String(error.stdout) };
    throw error;
  });
  const { Dir: folder, Error: why } = JSON.parse(stdout) as {
    readonly Dir?: string;
    readonly Error?: string;
  };
  if (folder !== undefined) return folder;
  const cache = (await promisify(execFile)("go", ["env", "GOMODCACHE"])).stdout.trim();
  const escaped = module.replaceAll(/[A-Z]/gu, (letter) => `!${letter.toLowerCase()}`);
  const place = join(cache, `${escaped}@${version}`);
  await readdir(place).catch((cause: unknown) => {
    throw new Error(`${module}@${version}: ${why ?? "is not to be had"}`, { cause });
  });
  return place;
}
