import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { changesBetween, machineState, namesOf, type MachineState } from "../cluster/testing/machine.ts";
import { pidsIn } from "../soak/part-processes.ts";

/** What pods could leave behind: on the machine, in the node's folder, in the process of the node's agent. */
export interface NodeState {
  readonly machine: MachineState;
  /** Below the node's folder, by path. */
  readonly files: readonly string[];
  /** What the agent has open below the cluster's folder, or has not asked the end of. */
  readonly held: readonly string[];
  /** How many descriptors the agent has. */
  readonly descriptors: number;
}

/** A few connections more or less come and go with what happens to be under way. */
const otherDescriptors = 12;

/** Looks at the node of a cluster of one. */
export async function nodeState(dir: string): Promise<NodeState> {
  const machine = await machineState(namesOf(dir));
  const pid = pidsIn(dir).get("node/kedge") ?? 0;
  const open = descriptorsOf(pid);
  return {
    // Parts that were killed have other numbers when they are back.
    machine: {
      ...machine,
      processes: machine.processes.map((line) => line.replace(/^\d+ /u, "")).toSorted(),
    },
    files: filesBelow(join(dir, "nodes/kedge")),
    held: [...open.filter((path) => path.startsWith(dir)), ...zombiesOf(pid)].toSorted(),
    descriptors: open.length,
  };
}

/** What is there now and was not before, or the other way round. */
export function leftBetween(before: NodeState, after: NodeState): readonly string[] {
  const more = after.descriptors - before.descriptors;
  return [
    ...changesBetween(before.machine, after.machine),
    ...after.files.filter((file) => !before.files.includes(file)).map((file) => `file + ${file}`),
    ...before.files.filter((file) => !after.files.includes(file)).map((file) => `file - ${file}`),
    ...after.held.filter((one) => !before.held.includes(one)).map((one) => `held by the agent: ${one}`),
    ...(more > otherDescriptors ? [`the agent has ${more} descriptors more`] : []),
  ];
}

function descriptorsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      return [];
    }
  });
}

/** Processes of a parent that have ended and wait for it to ask how. */
function zombiesOf(parent: number): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/u.test(name)) return [];
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const isOurs = status.includes(`PPid:\t${parent}\n`) && /^State:\tZ/mu.test(status);
      return isOurs ? [`zombie ${/^Name:\t(.*)$/mu.exec(status)?.[1]}`] : [];
    } catch {
      return [];
    }
  });
}

/** What lies in the folders that pods use. Volumes of claims stay with their claims. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !/(?:^|\/)(?:upper|root|work|volumes)\//u.test(path))
    .toSorted();
}
