import { dirOption, type ClusterFolder } from "./cluster-folder.ts";
import { readJsonFile } from "./json-file.ts";

/** What runs the pods of a cluster: containers, or nothing at all. It stays the same for as long as the cluster is. */
export type PodRuntime = "runc" | "simulated";

/** What a machine and its user can do. */
export interface Machine {
  readonly platform: string;
  readonly isRoot: boolean;
}

/** This machine, and who runs this process. */
export function thisMachine(): Machine {
  return { platform: process.platform, isRoot: process.getuid?.() === 0 };
}

/** What the cluster in a folder has; undefined: there is none, or what it is cannot be read. */
export async function runtimeOf(folder: ClusterFolder): Promise<PodRuntime | undefined> {
  const settings = await readJsonFile(folder.settings).catch(() => undefined);
  if (settings === undefined) return undefined;
  // Clusters from before there was a choice have containers.
  return new Map<string, unknown>(Object.entries(settings ?? {})).get("runtime") === "simulated"
    ? "simulated"
    : "runc";
}

/** What a choice is made from. */
export interface RuntimeChoice {
  /** What `--runtime` says. */
  readonly wanted: PodRuntime | undefined;
  /** What the cluster has already. */
  readonly known: PodRuntime | undefined;
  readonly machine: Machine;
  /** The cluster's, as it was given. */
  readonly dir: string;
}

/** The runtime of a cluster that is to be started, or why there can be none. Without root, pods are simulated. */
export function chooseRuntime({ wanted, known, machine, dir }: RuntimeChoice): PodRuntime | Error {
  if (wanted !== undefined && known !== undefined && wanted !== known) {
    const has = known === "runc" ? "real containers" : "simulated pods";
    return new Error(
      `--runtime ${wanted}: the cluster has ${has}, and keeps them. Give another --dir for another cluster, ` +
        `or delete this one with \`kedge down${dirOption(dir)} --purge\`.`,
    );
  }
  const runtime = wanted ?? known ?? (machine.isRoot ? "runc" : "simulated");
  return (
    wrongMachine("up", runtime, machine) ??
    (runtime === "runc" && !machine.isRoot ? notRoot(known, wanted) : runtime)
  );
}

function notRoot(known: PodRuntime | undefined, wanted: PodRuntime | undefined): Error {
  const what = known === undefined ? `--runtime ${wanted}: containers` : "the cluster has containers, which";
  const instead =
    known === undefined ? "leave out --runtime for simulated pods" : "give another --dir for simulated pods";
  return new Error(`${what} need root: sudo ./kedge up; or ${instead}.`);
}

/** Why a command cannot be about a cluster with this runtime here; undefined when it can. */
export function wrongMachine(
  command: string,
  runtime: PodRuntime | undefined,
  machine = thisMachine(),
): Error | undefined {
  if (machine.platform !== "linux")
    return new Error(`the embedded cluster needs Linux; this is ${machine.platform}`);
  if (command === "up" || runtime !== "runc" || machine.isRoot) return undefined;
  return new Error(
    `the cluster has containers and network namespaces, which needs root: sudo ./kedge ${command}`,
  );
}

/** In one line that pods are simulated, why, and how to have real ones. */
export function saySimulated({ isRoot }: Machine, dir: string): string {
  const why = isRoot ? "as --runtime simulated says" : "because containers need root";
  const how = isRoot ? "./kedge" : "sudo ./kedge";
  return (
    `Pods are simulated, ${why}: nothing runs in them and no address of theirs answers. ` +
    `Real ones: ${how} up --runtime runc with another --dir than ${dir}.\n`
  );
}
