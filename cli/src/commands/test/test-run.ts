import { chmod, mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { writeWhole } from "@kedge/network/write-whole";
import { readJsonFile } from "../../cluster/json-file.ts";
import {
  describeProcess,
  isAlive,
  isRunningProcess,
  type RunningProcess,
} from "../../cluster/running-processes.ts";

/** A run of tests on this machine, as it is remembered until nothing of it is left. */
export interface TestRun {
  /** Who runs it. */
  readonly by: RunningProcess;
  /** All temporary files of its tests are in it. */
  readonly folder: string;
}

/** A run that has begun. */
export interface BegunRun extends TestRun {
  /** The file with its record. */
  readonly record: string;
  /** What its tests, and the processes that they start, have in their environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** By this variable processes are known as a run's: its value is the run's folder. */
export const runVariable = "KEDGE_TEST_RUN";

/** Begins a run; what it is known by is on record before there is anything of it. */
export async function beginRun(records: string): Promise<BegunRun> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "kedge-t-")));
  // Tests also run programs as other users, whose files are in it.
  await chmod(folder, 0o711);
  const run = { by: describeProcess("test", process.pid), folder };
  const record = join(records, `${basename(folder)}.json`);
  await mkdir(records, { recursive: true });
  await writeWhole(record, `${JSON.stringify(run)}\n`);
  return { ...run, record, env: { TMPDIR: folder, [runVariable]: folder } };
}

/** The runs whose process is gone: they were interrupted, and may have left something. */
export async function interruptedRuns(
  records: string,
): Promise<readonly (TestRun & { readonly record: string })[]> {
  const runs: (TestRun & { readonly record: string })[] = [];
  for (const name of await readdir(records).catch(() => [])) {
    const record = join(records, name);
    const run = name.endsWith(".json") ? await readJsonFile(record).catch(() => undefined) : undefined;
    if (isTestRun(run) && !isAlive(run.by)) runs.push({ ...run, record });
  }
  return runs;
}

function isTestRun(value: unknown): value is TestRun {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  return typeof fields.get("folder") === "string" && isRunningProcess(fields.get("by"));
}
