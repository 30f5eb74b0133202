import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { inBackground, type Clock, type Logger } from "@kedge/machinery";
import { attachInput } from "./attach.ts";
import { begin } from "./begin.ts";
import { ownCapabilities } from "./capabilities.ts";
import { cgroupUsage } from "./cgroup-usage.ts";
import { canLimitSwap, killCgroup, limitProcesses } from "./cgroups.ts";
import { ContainerError } from "./container-error.ts";
import { containerFolders, type ContainerFolders, type ContainerRecord } from "./container-record.ts";
import { execInContainer } from "./exec.ts";
import { watchExits } from "./exit-watch.ts";
import { reopenLog, resizeTerminal, startMonitor } from "./monitor.ts";
import { ociConfig, ociLimits } from "./oci-config.ts";
import { readEnds } from "./past-ends.ts";
import { createPodCgroups } from "./pod-cgroups.ts";
import { overlayOptions } from "./oci-mounts.ts";
import { isAlive, processesOf, signalProcess } from "./processes.ts";
import { runProgram } from "@kedge/network/run-program";
import { signalNamed } from "./signal-name.ts";
import type { ContainerInfo, ContainerRuntime, ContainerSpec } from "./types.ts";

/** The programs that containers are run with. */
export interface RuncPrograms {
  readonly runc: string;
  readonly conmon: string;
  readonly unshare: string;
  readonly mount: string;
  readonly script: string;
  readonly stty: string;
  readonly perl: string;
}

/** What the runtime needs. */
export interface RuncRuntimeOptions {
  /** All of its state: containers, exit codes, their writable file systems. One node agent has one. */
  readonly folder: string;
  readonly programs: RuncPrograms;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How many processes and threads a pod may have at once. Default: 4096. */
  readonly podPidsLimit?: number;
  /** Default: named after the folder, so that several nodes on a machine do not meet. */
  readonly cgroupParent?: string;
}

/**
 * Real containers by `runc`, each under a `conmon` that outlives this process. All state is on disk: a new runtime on
 * the same folder goes on with the containers of the last one.
 */
export async function createRuncRuntime(options: RuncRuntimeOptions): Promise<ContainerRuntime> {
  const { clock, logger, programs, podPidsLimit = usualPidsLimit } = options;
  const folders = containerFolders(resolve(options.folder));
  const cgroupParent = options.cgroupParent ?? cgroupParentOf(options.folder);
  // Whoever began them was killed over it: nobody hears of them any more, and one that hangs holds its container.
  for (const orphan of processesOf(folders.root, "exec")) signalProcess(orphan, "SIGKILL");
  await makeFolders(folders);
  const version = await runcVersion(programs.runc, clock);
  const machine = {
    capabilities: ownCapabilities(),
    oomScoreAdjust: Number(readFileSync("/proc/self/oom_score_adj", "utf8")),
    canLimitSwap: canLimitSwap(),
  };
  const runc = (...args: readonly string[]) =>
    runProgram(programs.runc, ["--root", folders.runc, ...args], { clock, mayFail: true });
  let execs = 0;

  const inspect = async (id: string): Promise<ContainerInfo | undefined> => {
    const record = isId(id) ? await folders.read(id) : undefined;
    return record === undefined ? undefined : await infoOf(record, folders);
  };
  const exits = watchExits({ folders, clock, logger, inspect });

  const existing = async (id: string): Promise<ContainerRecord> => {
    const record = isId(id) ? await folders.read(id) : undefined;
    if (record === undefined) throw new ContainerError("NOT_FOUND", `there is no container ${id}`);
    return record;
  };

  const pastEnds = await readEnds(folders);
  const cgroups = createPodCgroups(cgroupParent);
  /** The kernel ends what is left of a container with its first process only where that was the first of a namespace. */
  const endRest = async ({ id, podUid, sharesProcesses }: ContainerRecord): Promise<void> => {
    if (sharesProcesses === true) await killCgroup(`${cgroups.groupOf(podUid)}/${id}`, clock);
  };
  const endRestOf = async (id: string): Promise<void> => {
    const record = await folders.read(id);
    if (record !== undefined) await endRest(record);
  };
  exits.listen(({ id }) =>
    inBackground(clock.track(endRestOf(id)), (error) =>
      logger.warn("Processes of a container that has ended may be left", { container: id, error }),
    ),
  );
  const remove = async (id: string): Promise<void> => {
    const record = isId(id) ? await folders.read(id) : undefined;
    if (record === undefined) return;
    if (record.process !== undefined) signalProcess(record.process, "SIGKILL");
    await endRest(record);
    await until(clock, () => record.monitor === undefined || !isAlive(record.monitor));
    if (record.process === undefined) killMakers(folders, id);
    await exits.scan();
    const deleted = await runc("delete", "--force", id);
    if (deleted.exitCode !== 0) {
      logger.warn("runc could not delete a container", { container: id, said: deleted.stderr.trim() });
    }
    await folders.remove(id);
    exits.forget(id);
    cgroups.left(record.podUid);
  };

  for (const id of await folders.ids()) {
    // Cut off while it was being made: nobody knows of it.
    if ((await folders.read(id))?.process === undefined) await discard(id, folders, remove);
  }

  return {
    version: `runc://${version}`,
    async create(spec) {
      check(spec);
      const { id, labels, podUid } = spec;
      if ((await folders.read(id)) !== undefined) {
        throw new ContainerError("EXISTS", `there is a container ${id} already`);
      }
      const bundle = folders.bundle(id);
      const parts = { upper: join(bundle, "upper"), work: join(bundle, "work"), root: join(bundle, "root") };
      // What is in there, the environment above all, is nobody else's business.
      await mkdir(bundle, { recursive: true, mode: 0o700 });
      for (const part of Object.values(parts)) await mkdir(part, { recursive: true });
      // The upper one is what the container sees as /, whatever this process' umask is.
      await chmod(parts.upper, 0o755);
      const cgroup = `/${cgroups.groupOf(podUid)}/${id}`;
      const record = {
        id,
        labels,
        podUid,
        ...(spec.processNamespace !== undefined && { sharesProcesses: true }),
      };
      await folders.write(record);
      try {
        const { root } = parts;
        const config = ociConfig(spec, { ...machine, root, cgroup });
        await writeFile(join(bundle, "config.json"), JSON.stringify(config), { mode: 0o600 });
        const overlay = overlayOptions(spec.image.layers, parts);
        const { logPath, tty: terminal, stdin } = spec;
        const monitor = { id, folders, programs, overlay, root, logPath, terminal, stdin, clock };
        const made = await cgroups.making(podUid, () => startMonitor(monitor));
        const processes = { process: made.process, ...(made.monitor && { monitor: made.monitor }) };
        await folders.write({ ...record, ...processes });
        limitProcesses(cgroups.groupOf(podUid), podPidsLimit);
      } catch (error) {
        await remove(id);
        throw error;
      }
    },
    async start(id) {
      const record = await existing(id);
      const { process } = record;
      if (process === undefined) throw new ContainerError("START_FAILED", `container ${id} is being made`);
      // Before it runs: a short one has ended, and is told of, before a later write is done.
      await folders.write({ ...record, startedAt: clock.now() });
      try {
        await clock.track(begin({ id, pipe: folders.startPipe(id), process }, clock));
      } catch (error) {
        await folders.write(record);
        throw error;
      }
    },
    inspect,
    async list() {
      const all = await Promise.all((await folders.ids()).map(inspect));
      return all.filter((info) => info !== undefined);
    },
    pastEnd: (id) => pastEnds.get(id),
    onExit: (listener) => exits.listen(listener),
    async signal(id, signal) {
      const named = signalNamed(signal);
      const record = isId(id) ? await folders.read(id) : undefined;
      if (record?.process !== undefined) signalProcess(record.process, named);
    },
    async update(id, { resources, labels }) {
      const record = await existing(id);
      const args = ["--root", folders.runc, "update", "--resources", "-", id];
      await runProgram(programs.runc, args, { clock, input: JSON.stringify(ociLimits(resources, machine)) });
      await folders.write({ ...record, labels });
    },
    remove,
    reopenLog: async (id) => await clock.track(reopenLog(join(folders.bundle(id), "ctl"))),
    writableFolder: (id) => join(folders.bundle(id), "upper"),
    async exec(id, command) {
      const { state } = (await inspect(id)) ?? {};
      if (state === undefined) throw new ContainerError("NOT_FOUND", `there is no container ${id}`);
      if (state !== "running") {
        throw new ContainerError("NOT_RUNNING", `container ${id} is ${state}: no command can run in it`);
      }
      const files = join(folders.execs, String((execs += 1)));
      const bundle = folders.bundle(id);
      return await execInContainer({ id, bundle, files, command, programs, folders, clock });
    },
    async attach(id) {
      await existing(id);
      const bundle = folders.bundle(id);
      return await clock.track(attachInput({ id, bundle, perl: programs.perl, root: folders.root }));
    },
    resize: async (id, size) => await clock.track(resizeTerminal(join(folders.bundle(id), "ctl"), size)),
    async usage(id) {
      const record = isId(id) ? await folders.read(id) : undefined;
      return record === undefined ? undefined : await cgroupUsage(`${cgroups.groupOf(record.podUid)}/${id}`);
    },
    async close() {
      exits.close();
      await Promise.resolve();
    },
  };
}

/** Enough for any server, too few to take the machine's process numbers. */
const usualPidsLimit = 4096;

/** The control group of all containers of a folder. */
export function cgroupParentOf(folder: string): string {
  return `kedge-${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 12)}`;
}

async function makeFolders(folders: ContainerFolders): Promise<void> {
  await rm(folders.execs, { recursive: true, force: true });
  const { runc, exits, sockets, execs, containers } = folders;
  for (const folder of [runc, exits, sockets, execs, containers]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
}

async function runcVersion(runc: string, clock: Clock): Promise<string> {
  const { stdout } = await runProgram(runc, ["--version"], { clock });
  return /^runc version (\S+?)(?:\+\S*)?$/mu.exec(stdout)?.[1] ?? "unknown";
}

async function infoOf(record: ContainerRecord, folders: ContainerFolders): Promise<ContainerInfo> {
  const { id, labels, process, startedAt } = record;
  const exit = await folders.exit(id);
  if (exit !== undefined) {
    return { id, labels, state: "exited", startedAt, oomKilled: folders.wasOutOfMemory(id), ...exit };
  }
  if (folders.awaitsStart(id) || process === undefined)
    return { id, labels, state: "created", pid: process?.pid };
  return { id, labels, state: "running", pid: process.pid, startedAt };
}

/** Names become names of files and control groups. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,127}$/u.test(id);
}

function check(spec: ContainerSpec): void {
  if (!isId(spec.id)) {
    throw new ContainerError("INVALID", `id "${spec.id}" must consist of letters, digits and dashes`);
  }
  if (!isId(spec.podUid)) {
    throw new ContainerError("INVALID", `podUid "${spec.podUid}" must consist of letters, digits and dashes`);
  }
  if (spec.command.length === 0) {
    throw new ContainerError("INVALID", `container ${spec.id}: command must not be empty`);
  }
}

/** Waits until something holds, for at most ten seconds: then it is dealt with by force. */
async function until(clock: Clock, holds: () => boolean): Promise<void> {
  const end = clock.monotonic() + 10_000;
  while (!holds() && clock.monotonic() < end) await clock.sleep(5);
}

/** It was cut off while it was being made: its processes are not on record, but they name its folder. */
function killMakers(folders: ContainerFolders, id: string): void {
  for (const maker of processesOf(folders.root, folders.bundle(id))) signalProcess(maker, "SIGKILL");
}

async function discard(
  id: string,
  folders: ContainerFolders,
  remove: (id: string) => Promise<void>,
): Promise<void> {
  if ((await folders.read(id)) === undefined) await folders.remove(id);
  else await remove(id);
}
