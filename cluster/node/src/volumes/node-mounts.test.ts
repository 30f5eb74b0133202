import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock as clock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { createNodeMounts } from "./node-mounts.ts";

it("a record that goes while the records are read is nobody's fault", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kedge-records-"));
  try {
    await mkdir(join(folder, "mounts"));
    // Listed, and not there when it is opened, as the record of another pod that just ended.
    await symlink("gone", join(folder, "mounts/kedge-1"));
    await expect(createNodeMounts({ folder, clock }).removeBelow(folder)).resolves.toBeUndefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("a record that an agent was killed over goes with the next one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "kedge-records-"));
  try {
    await mkdir(join(folder, "mounts"));
    await writeFile(join(folder, "mounts/kedge-1.new"), '{"name":');
    await createNodeMounts({ folder, clock }).removeBelow(join(folder, "pods"));
    expect(await readdir(join(folder, "mounts"))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
