import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { nodeFolder } from "./node-folder.ts";
import { newNode } from "./node-settings.ts";
import { makePrivate } from "./private-folders.ts";

it("closes the folders of volumes, pods and logs, and leaves the one around them as it is", async () => {
  const around = await mkdtemp(join(tmpdir(), "kedge-private-"));
  try {
    await chmod(around, 0o755);
    const folder = clusterFolder(around);
    const node = newNode({ id: "abc123", podRange: "10.244.0.0/16", nodes: [] }, "kedge");
    const { agent, network, volumes } = nodeFolder(folder, node);
    await mkdir(volumes, { recursive: true, mode: 0o755 });
    await makePrivate(folder, [node]);
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    const modes = [agent, volumes, network, folder.logs].map(modeOf);
    expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700, 0o700]);
    expect(await modeOf(around)).toBe(0o755);
  } finally {
    await rm(around, { recursive: true });
  }
});
