import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readSchedulerConfig } from "./scheduler-config.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-scheduler-"));
  file = join(folder, "scheduler.yaml");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reads the profiles of a file", async () => {
  writeFileSync(
    file,
    `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
  - schedulerName: packed
    pluginConfig:
      - name: NodeResourcesFit
        args: { scoringStrategy: { type: MostAllocated } }
`,
  );
  expect(await readSchedulerConfig(file)).toEqual([
    { schedulerName: "default-scheduler" },
    { schedulerName: "packed", resources: { type: "MostAllocated" } },
  ]);
  expect(await readSchedulerConfig(undefined)).toBeUndefined();
});

it.each([
  ["no YAML", "a: [", /^--scheduler-config .*scheduler\.yaml: .*line 1/su],
  ["something else", "kind: Pod", /^--scheduler-config .*: apiVersion is absent and must be one of/u],
])("names the file and what is wrong with it: %s", async (_what, text, said) => {
  writeFileSync(file, text);
  await expect(readSchedulerConfig(file)).rejects.toThrow(said);
});

it("names a file that is not there", async () => {
  await expect(readSchedulerConfig(file)).rejects.toThrow(/^--scheduler-config .*ENOENT/u);
});
