import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cgroupUsage } from "./cgroup-usage.ts";

it.each([
  [
    "version 1, a hierarchy for each controller",
    {
      "cpuacct/pod/cpuacct.usage": "123456789\n",
      "memory/pod/memory.usage_in_bytes": "10485760\n",
      "memory/pod/memory.stat": "cache 1\ninactive_file 1\ntotal_inactive_file 485760\n",
    },
    { cpuNanoseconds: 123_456_789, workingSetBytes: 10_000_000 },
  ],
  [
    "version 2, one hierarchy",
    {
      "pod/cpu.stat": "usage_usec 5000\nuser_usec 1\n",
      "pod/memory.current": "2048\n",
      "pod/memory.stat": "anon 1\ninactive_file 1024\n",
    },
    { cpuNanoseconds: 5_000_000, workingSetBytes: 1024 },
  ],
  ["a group that is not there", {}, undefined],
  ["one that goes just now", { "cpuacct/pod/cpuacct.usage": "1\n" }, undefined],
])("%s", async (_title, files, usage) => {
  const root = await mkdtemp(join(tmpdir(), "kedge-cgroup-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(root, name, ".."), { recursive: true });
      await writeFile(join(root, name), text);
    }
    const hierarchies = [root, join(root, "cpuacct"), join(root, "memory")];
    expect(await cgroupUsage("pod", hierarchies)).toEqual(usage);
  } finally {
    await rm(root, { recursive: true });
  }
});
