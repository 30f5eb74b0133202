import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * The path of a part of a volume, made as a folder when it is not there. Throws when it leads out of the volume, by
 * `..` or by a symbolic link.
 */
export async function subPathOf(volume: string, subPath: string): Promise<string> {
  if (subPath.startsWith("/") || subPath.split("/").includes("..")) {
    throw new Error(`subPath "${subPath}": must be relative and must not contain ".."`);
  }
  const root = await realpath(volume);
  let path = root;
  for (const part of subPath.split("/").filter((name) => name !== "" && name !== ".")) {
    const next = join(path, part);
    const exists = await stat(next).then(
      () => true,
      () => false,
    );
    if (!exists) await mkdir(next, { mode: 0o750 });
    path = await realpath(next);
    if (path !== root && !path.startsWith(`${root}/`)) {
      throw new Error(`subPath "${subPath}": leads out of the volume`);
    }
  }
  return path;
}
