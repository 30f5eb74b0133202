import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { realClock, silentLogger } from "@kedge/machinery";
import { machineNetworkId } from "@kedge/network";
import { createPackageCache, findPrograms } from "@kedge/node";
import { cacheFolder } from "../../node/laboratory.ts";
import { tracesOnMachine } from "../../node/traces.ts";

/** What a cluster could leave on a machine, by topic. */
export type MachineState = Readonly<Record<Topic, readonly string[]>>;

type Topic = (typeof topics)[number];

const topics = [
  "processes",
  "mounts",
  "cgroups",
  "namespaces",
  "interfaces",
  "routes",
  "forwarding",
  "tables",
] as const;

/** How a cluster's traces are called. */
export interface ClusterNames {
  /** Processes, mounts and control groups: its folder, and what that has become in names. */
  readonly words: readonly string[];
  /** Interfaces, namespaces and tables. */
  readonly id: string;
  /** The same of its nodes, and of the machine when there are several. */
  readonly ids?: readonly string[];
}

/** A process, and what it was started with. */
export interface MachineProcess {
  readonly pid: number;
  readonly command: string;
}

/** The names of the cluster in a folder, which runs. */
export function namesOf(dir: string): ClusterNames {
  const { id, nodes } = JSON.parse(readFileSync(join(dir, "cluster.json"), "utf8")) as {
    readonly id: string;
    readonly nodes: readonly { readonly folder: string; readonly networkId: string }[];
  };
  const groups = nodes.flatMap(({ folder }) =>
    [...containersIn(join(dir, folder)).values()].flatMap(
      (pid) => readIfThere(`/proc/${pid}/cgroup`).match(/kedge-[0-9a-f]{12}/gu) ?? [],
    ),
  );
  const ids = [machineNetworkId(id), ...nodes.map(({ networkId }) => networkId)];
  return { words: [dir, ...new Set(groups)], id, ids };
}

/** The containers of a node by their ids, with the ids of their processes. `folder` is the node's. */
export function containersIn(folder: string): ReadonlyMap<string, number> {
  const containers = join(folder, "node/containers/containers");
  const names = existsSync(containers) ? readdirSync(containers) : [];
  return new Map(names.map((name) => [name, Number(readIfThere(join(containers, name, "pid")))]));
}

/**
 * Looks at the machine. What other clusters have on it, which come and go, is left out; a test that is not alone leaves
 * out all that does not bear its cluster's name: other programs of the machine make and take away interfaces, too.
 */
export async function machineState({ words, id, ids = [] }: ClusterNames): Promise<MachineState> {
  const own = [id, ...ids].filter((one) => one !== "");
  const { ip, nft } = await programs();
  const isTold = (line: string): boolean =>
    isAlone() ? !isOfAnother(line, own) : own.some((one) => line.includes(one));
  const lines = (program: string, ...args: readonly string[]): readonly string[] =>
    execFileSync(program, args, { encoding: "utf8" })
      .split("\n")
      .filter((line) => line !== "" && isTold(line));
  const tables = lines(nft, "list", "tables");
  // Other clusters of this test run may be about to come or go; those of the machine's user can be seen.
  const alone = isAlone() && !readdirSync("/sys/class/net").some((name) => isOfAnother(name, own));
  const { mounts, cgroups } = tracesOnMachine([...words, ...own.map((one) => `kedge-${one}`)]);
  return {
    processes: processesOf(words).map(({ pid, command }) => `${pid} ${command}`),
    mounts,
    cgroups,
    namespaces: lines(ip, "netns"),
    interfaces: lines(ip, "-brief", "link"),
    // Shared with other clusters, or without a name that would tell whose they are.
    routes: alone ? lines(ip, "route") : [],
    forwarding: alone
      ? [readIfThere("/proc/sys/net/ipv4/ip_forward").trim(), ...tables.filter(closesForwarding)]
      : [],
    tables: tables.filter((table) => !closesForwarding(table)),
  };
}

/** What has come and what has gone between two looks. */
export function changesBetween(before: MachineState, after: MachineState): readonly string[] {
  const known = topics.filter((topic) => !isUnknown(before, after, topic));
  return known.flatMap((topic) => {
    const [old, now] = [before[topic], after[topic]];
    const come = now.filter((line) => !old.includes(line)).map((line) => `${topic} + ${line}`);
    return [...come, ...old.filter((line) => !now.includes(line)).map((line) => `${topic} - ${line}`)];
  });
}

/** The processes that name one of the words, or are in a control group that does. */
export function processesOf(words: readonly string[]): readonly MachineProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || hasEnded(pid)) return [];
    const command = readIfThere(`/proc/${name}/cmdline`).replaceAll("\0", " ");
    const known = `${command}\n${readIfThere(`/proc/${name}/cgroup`)}`;
    return words.some((word) => known.includes(word)) ? [{ pid, command }] : [];
  });
}

/** A zombie: only the entry in the table of processes is left, until somebody asks how it ended. */
function hasEnded(pid: number): boolean {
  return /^State:\tZ/mu.test(readIfThere(`/proc/${pid}/status`));
}

async function programs(): Promise<{ readonly ip: string; readonly nft: string }> {
  const path = process.env["PATH"] ?? "";
  const [clock, logger] = [realClock, silentLogger];
  return await findPrograms({
    cache: createPackageCache({ folder: cacheFolder(), clock, logger, path }),
    clock,
    path,
  });
}

/** Whether a line names something of another cluster, or of a test of `e2e/network` or `e2e/node` beside this one. */
function isOfAnother(line: string, own: readonly string[]): boolean {
  const names = line.matchAll(/\b(?:(?:kedge-|kd|stranger-|st)([0-9a-f]{6})|kedge-images-)/gu);
  return [...names].some(([, other]) => other === undefined || !own.includes(other));
}

/** Whether no other test runs beside this one. */
function isAlone(): boolean {
  return process.env["KEDGE_TEST_ALONE"] === "true";
}

/** All clusters share this table. */
function closesForwarding(table: string): boolean {
  return table.endsWith(" kedge-forwarding");
}

/** Another cluster was there at one of the two moments. */
function isUnknown(before: MachineState, after: MachineState, topic: Topic): boolean {
  const shared = topic === "routes" || topic === "forwarding";
  return shared && (before[topic].length === 0 || after[topic].length === 0);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
