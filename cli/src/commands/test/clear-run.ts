import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { silentLogger, type Clock } from "@kedge/machinery";
import { createPodNetwork, type ClusterNetwork } from "@kedge/network";
import { runProgram } from "@kedge/network/run-program";
import { cleanUp, parseMounts } from "@kedge/node";
import { readJsonFile } from "../../cluster/json-file.ts";
import { machinePrograms, type MachinePrograms } from "../../cluster/machine-programs.ts";
import { describeProcess, signalAll, waitForEnd } from "../../cluster/running-processes.ts";
import type { KedgeContext } from "../../context.ts";
import { runDown } from "../down/run.ts";
import { runVariable, type BegunRun, type TestRun } from "./test-run.ts";

/** How long what was killed may take to be gone. */
const patience = 10_000;

/** Folders of tests are at most this deep in that of their run. */
const deepest = 4;

/**
 * Takes away what an interrupted run has left: clusters, processes, containers, networks, mounts, files. All of it is
 * known by the run's record: it is in the run's own folder, or has the name of that in its environment. Throws when
 * something stays: then the files do, too, and the record.
 */
export async function clearRun(
  run: TestRun & { readonly record: string },
  { context, clock }: { readonly context: KedgeContext; readonly clock: Clock },
): Promise<void> {
  const { folder } = run;
  for (const settings of await find(folder, "cluster.json")) {
    const failure = await runDown(silent(context), { dir: dirname(settings), purge: true });
    if (failure !== undefined) throw failure;
  }
  const left = await processesOf(folder);
  signalAll(left, "SIGKILL");
  await waitForEnd(left, { clock, patience });
  const runtimes = (await find(folder, "exits"))
    .map(dirname)
    .filter((path) => existsSync(join(path, "runc")));
  const networks = await readNetworks(folder);
  if (runtimes.length + networks.length > 0) {
    const machine = await machinePrograms({ clock, logger: silentLogger, env: context.process.env });
    await clearMachine({ runtimes, networks, folder }, machine, clock);
  }
  for (const path of await mountsBelow(folder))
    await runProgram("umount", ["--no-canonicalize", "--lazy", path], { clock, mayFail: true });
  await endRun(run);
}

/** Deletes the files of a run of which nothing else is left, and its record. Nothing is deleted through a mount. */
export async function endRun({ folder, record }: Pick<BegunRun, "folder" | "record">): Promise<void> {
  const [mount] = process.platform === "linux" ? await mountsBelow(folder) : [];
  if (mount !== undefined) throw new Error(`${mount} is mounted. \`umount ${mount}\` takes it away.`);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  await rm(record, { force: true });
}

/** Where files or folders of a name are below a folder, as deep as tests put them. */
async function find(folder: string, name: string, depth = 1): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.name === name) found.push(path);
    else if (entry.isDirectory() && depth < deepest) found.push(...(await find(path, name, depth + 1)));
  }
  return found;
}

/** The same, without a word. */
function silent(context: KedgeContext): KedgeContext {
  const nowhere = { write: () => undefined, isTTY: false, columns: 80, hasColors: () => false };
  return { ...context, process: { ...context.process, stdout: nowhere, stderr: nowhere } };
}

/** The processes that tests of a run have started, and theirs. */
async function processesOf(folder: string): Promise<readonly ReturnType<typeof describeProcess>[]> {
  const mark = `${runVariable}=${folder}`;
  const found = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/u.test(name) || Number(name) === process.pid) continue;
    const environment = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
    if (environment.split("\0").includes(mark)) found.push(describeProcess("test", Number(name)));
  }
  return found;
}

/** The networks that tests have made in their own process: each is on record. */
async function readNetworks(folder: string): Promise<readonly ClusterNetwork[]> {
  const records = join(folder, "networks");
  const names = await readdir(records).catch(() => []);
  const read = await Promise.all(names.map((name) => readJsonFile(join(records, name))));
  // Only e2e/testing/record-network.ts writes them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return read.filter((network) => network !== undefined) as ClusterNetwork[];
}

async function clearMachine(
  left: {
    readonly runtimes: readonly string[];
    readonly networks: readonly ClusterNetwork[];
    readonly folder: string;
  },
  { programs, commands }: MachinePrograms,
  clock: Clock,
): Promise<void> {
  const logger = silentLogger;
  for (const folder of left.runtimes) {
    // Tests name the control group after their folder.
    for (const cgroupParent of [undefined, basename(dirname(folder))])
      await cleanUp({ folder, programs, clock, logger, ...(cgroupParent !== undefined && { cgroupParent }) });
  }
  for (const network of left.networks)
    await createPodNetwork({ network, folder: left.folder, commands, clock, logger }).remove();
}

/** The deepest first. */
async function mountsBelow(folder: string): Promise<readonly string[]> {
  const mounts = parseMounts(await readFile("/proc/self/mountinfo", "utf8"));
  const below = mounts.map(({ path }) => path).filter((path) => path.startsWith(`${folder}/`));
  return below.toSorted((a, b) => b.length - a.length);
}
