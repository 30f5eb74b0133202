import type { Readable, Writable } from "node:stream";
import type { TerminalSize } from "@kedge/machinery/streams";
import type { ResolvedImage } from "../images/types.ts";
import type { AttachedInput } from "./attach.ts";
import type { CgroupUsage } from "./cgroup-usage.ts";
import type { SeccompProfile } from "./seccomp.ts";

/** Runs containers: by runc (`runc-runtime.ts`), or only in memory (`../simulated/simulated-runtime.ts`). */
export interface ContainerRuntime {
  /** Name and version, for the node's status: `runc://1.1.5`. */
  readonly version: string;
  /** Makes a container: file system, mounts, cgroup. It does not run yet. */
  create(spec: ContainerSpec): Promise<void>;
  start(id: string): Promise<void>;
  /** Undefined when there is no such container. */
  inspect(id: string): Promise<ContainerInfo | undefined>;
  list(): Promise<readonly ContainerInfo[]>;
  /** How a container ended that was removed when the node was stopped; undefined: nobody knows. */
  pastEnd(id: string): ContainerInfo | undefined;
  /** Called once when a container has ended, also for those that ended while nobody watched. */
  onExit(listener: (container: ContainerInfo) => void): () => void;
  /** Does nothing when it no longer runs. `SIGTERM`, `SIGKILL`, … */
  signal(id: string, signal: string): Promise<void>;
  /** Gives a running container other limits, and other labels. */
  update(id: string, change: ContainerUpdate): Promise<void>;
  /** Removes a container and all that belongs to it but its log; kills it first if need be. */
  remove(id: string): Promise<void>;
  /** Its log goes on in a new file at the same path: somebody has moved the old one away. */
  reopenLog(id: string): Promise<void>;
  /** The folder with all that it has written beside its volumes; undefined: there is none on disk. */
  writableFolder(id: string): string | undefined;
  exec(id: string, command: ExecCommand): Promise<ExecProcess>;
  /** Reaches the standard input of a running container that was made with one. */
  attach(id: string): Promise<AttachedInput>;
  /** Tells its terminal, if it has one, its new size. */
  resize(id: string, size: TerminalSize): Promise<void>;
  /** What a container has used so far; undefined: it does not run. */
  usage(id: string): Promise<CgroupUsage | undefined>;
  /** Lets go of watchers; containers go on running. */
  close(): Promise<void>;
}

/** What of a container can change while it runs. */
export interface ContainerUpdate {
  readonly resources: ContainerResources;
  readonly labels: Readonly<Record<string, string>>;
}

/** All that a container needs to be made. */
export interface ContainerSpec {
  /** Unique: letters, digits and dashes. */
  readonly id: string;
  /** Kept with the container, given back by `inspect`: pod uid, container name, attempt. */
  readonly labels: Readonly<Record<string, string>>;
  readonly image: ResolvedImage;
  /** Program and arguments, entry point already applied. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly user: { readonly uid: number; readonly gid: number; readonly additionalGids: readonly number[] };
  readonly hostname: string;
  readonly mounts: readonly ContainerMount[];
  /** Path of the network namespace; undefined: the host's. */
  readonly networkNamespace: string | undefined;
  /** Path of the namespace of processes that it joins, or "host": the machine's. Absent: it has one of its own. */
  readonly processNamespace?: string | undefined;
  /** Containers of a pod share this cgroup parent. */
  readonly podUid: string;
  readonly resources: ContainerResources;
  readonly privileged: boolean;
  readonly readOnlyRootFilesystem: boolean;
  readonly noNewPrivileges: boolean;
  readonly capabilities: { readonly add: readonly string[]; readonly drop: readonly string[] };
  /** Which system calls it may make. Absent: all. */
  readonly seccomp?: "RuntimeDefault" | SeccompProfile | undefined;
  /** The name of an AppArmor profile that this machine has loaded. */
  readonly appArmorProfile?: string | undefined;
  readonly tty: boolean;
  /** Whether its input stays open; until the first who attaches has gone, or for good. Absent: it is empty. */
  readonly stdin?: "once" | "always" | undefined;
  /** Where its output goes, in the kubelet's log format. Its folder exists. */
  readonly logPath: string;
}

/** A folder or file of this machine inside the container. */
export interface ContainerMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Limits, in the units of cgroups. Absent: none. */
export interface ContainerResources {
  readonly cpuShares?: number;
  readonly cpuQuotaMicroseconds?: number;
  readonly cpuPeriodMicroseconds?: number;
  readonly memoryLimitBytes?: number;
  readonly oomScoreAdjust?: number;
}

/** What a container is doing. Times are milliseconds since 1970. */
export interface ContainerInfo {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "created" | "running" | "exited";
  readonly pid?: number | undefined;
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** 128 + signal when a signal ended it. */
  readonly exitCode?: number | undefined;
  readonly oomKilled?: boolean | undefined;
}

/** A command in a running container. */
export interface ExecCommand {
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The command while it runs. With a tty, `stderr` stays empty. */
export interface ExecProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Rejects when the command could not be started, for example because the container has no such program. */
  readonly exit: Promise<{ readonly exitCode: number }>;
  resize(size: TerminalSize): Promise<void>;
  kill(): void;
}
