import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { makePrivate } from "./private-folders.ts";

it("closes the folders of volumes, pods and logs, and leaves the one around them as it is", async () => {
  const around = await mkdtemp(join(tmpdir(), "kedge-private-"));
  try {
    await chmod(around, 0o755);
    const folder = clusterFolder(around);
    await mkdir(folder.volumes, { mode: 0o755 });
    await makePrivate(folder);
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    const modes = [folder.node, folder.volumes, folder.network, folder.logs].map(modeOf);
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o700]);
    expect(await modeOf(around)).toBe(0o755);
  } finally {
    await rm(around, { recursive: true });
  }
});
