import { PassThrough, Writable } from "node:stream";
import type { Clock, Timer } from "@kedge/machinery";
import { ContainerError } from "../runtime/container-error.ts";
import type { ContainerInfo, ContainerRuntime, ContainerSpec, ExecProcess } from "../runtime/types.ts";

/** How a simulated container behaves. Default: it runs until it is stopped. */
export interface SimulatedLife {
  /** It ends by itself after this long. */
  readonly endsAfterMs?: number;
  readonly exitCode?: number;
  /** It ends because it has used more memory than it may. */
  readonly oomKilled?: boolean;
  /** It takes no notice of SIGTERM. */
  readonly ignoresTerm?: boolean;
  /** What it uses of processors, in billionths of one, and of memory. Default: nothing. */
  readonly cpuNanocores?: number;
  readonly memoryBytes?: number;
}

/** What a simulated runtime needs. */
export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  /** What becomes of a container. Init containers should end. */
  readonly lifeOf?: (spec: ContainerSpec) => SimulatedLife;
  /** Containers that are there from the beginning. */
  readonly containers?: readonly SimulatedContainer[];
  /** What commands in containers answer. Default: success. */
  readonly exitCodeOf?: (id: string, command: readonly string[]) => number;
}

/** A container that exists in memory only. */
export interface SimulatedContainer {
  readonly spec: ContainerSpec;
  readonly life: SimulatedLife;
  readonly info: ContainerInfo;
}

/** Containers that a test can end. */
export interface SimulatedRuntime extends ContainerRuntime {
  /** All that there are now, for another runtime to go on with. */
  containers(): readonly SimulatedContainer[];
  /** Ends all that run and whose labels are meant. */
  end(isMeant: (labels: Readonly<Record<string, string>>) => boolean, exitCode: number): void;
}

/** 128 plus the signal's number. */
const terminated = 143;
const killed = 137;

type Simulated = Omit<SimulatedContainer, "info"> & { info: ContainerInfo; end?: Timer };

/** Containers that exist in memory only. They run in the clock's time and have no files and no processes. */
export function createSimulatedRuntime(options: SimulatedRuntimeOptions): SimulatedRuntime {
  const { clock, lifeOf = () => ({}), exitCodeOf = () => 0 } = options;
  const containers = new Map<string, Simulated>(
    options.containers?.map((container) => [container.spec.id, { ...container }]),
  );
  const listeners = new Set<(info: ContainerInfo) => void>();
  const get = (id: string): Simulated => {
    const found = containers.get(id);
    if (found === undefined) throw new ContainerError("NOT_FOUND", `there is no container ${id}`);
    return found;
  };
  const end = (id: string, exitCode: number, oomKilled = false): void => {
    const container = containers.get(id);
    if (container?.info.state !== "running") return;
    container.end?.cancel();
    container.info = {
      ...container.info,
      state: "exited",
      pid: undefined,
      finishedAt: clock.now(),
      exitCode,
      oomKilled,
    };
    for (const listener of listeners) listener(container.info);
  };
  return {
    version: "simulated://1.0.0",
    containers: () => Array.from(containers.values(), ({ spec, life, info }) => ({ spec, life, info })),
    end(isMeant, exitCode) {
      for (const [id, { spec }] of containers) if (isMeant(spec.labels)) end(id, exitCode);
    },
    async create(spec) {
      if (containers.has(spec.id))
        throw new ContainerError("EXISTS", `there is a container ${spec.id} already`);
      const info: ContainerInfo = { id: spec.id, labels: spec.labels, state: "created" };
      containers.set(spec.id, { spec, life: lifeOf(spec), info });
      await Promise.resolve();
    },
    async start(id) {
      const container = get(id);
      container.info = { ...container.info, state: "running", startedAt: clock.now() };
      const { endsAfterMs, exitCode = 0, oomKilled } = container.life;
      if (endsAfterMs !== undefined)
        container.end = clock.timer(endsAfterMs, () => end(id, exitCode, oomKilled));
      await Promise.resolve();
    },
    inspect: (id) => Promise.resolve(containers.get(id)?.info),
    list: () => Promise.resolve(Array.from(containers.values(), ({ info }) => info)),
    onExit(listener) {
      listeners.add(listener);
      for (const { info } of containers.values()) if (info.state === "exited") listener(info);
      return () => listeners.delete(listener);
    },
    signal(id, signal) {
      const { ignoresTerm } = containers.get(id)?.life ?? {};
      if (signal === "SIGKILL") end(id, killed);
      else if (ignoresTerm !== true) end(id, terminated);
      return Promise.resolve();
    },
    async update(id, { labels }) {
      const container = get(id);
      container.info = { ...container.info, labels };
      await Promise.resolve();
    },
    remove(id) {
      end(id, killed);
      containers.delete(id);
      return Promise.resolve();
    },
    reopenLog: () => Promise.resolve(),
    writableFolder: () => undefined,
    pastEnd: () => undefined,
    async exec(id, { command }) {
      const { state } = get(id).info;
      if (state !== "running")
        throw new ContainerError("NOT_RUNNING", `container ${id} is ${state}: no command can run in it`);
      return await Promise.resolve(execProcess(exitCodeOf(id, command)));
    },
    async attach(id) {
      get(id);
      return await Promise.resolve({ stdin: forgetful(), close: () => undefined });
    },
    resize: () => Promise.resolve(),
    usage: (id) => {
      const { info, life } = containers.get(id) ?? {};
      if (info?.state !== "running") return Promise.resolve(undefined);
      const seconds = (clock.now() - (info.startedAt ?? clock.now())) / 1000;
      const { cpuNanocores = 0, memoryBytes = 0 } = life ?? {};
      return Promise.resolve({ cpuNanoseconds: seconds * cpuNanocores, workingSetBytes: memoryBytes });
    },
    close() {
      for (const container of containers.values()) container.end?.cancel();
      return Promise.resolve();
    },
  };
}

function execProcess(exitCode: number): ExecProcess {
  return {
    stdin: forgetful(),
    stdout: emptyStream(),
    stderr: emptyStream(),
    exit: Promise.resolve({ exitCode }),
    resize: () => Promise.resolve(),
    kill: () => undefined,
  };
}

function forgetful(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

function emptyStream(): PassThrough {
  const stream = new PassThrough();
  stream.end();
  return stream;
}
