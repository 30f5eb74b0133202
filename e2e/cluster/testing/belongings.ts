import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { changesBetween, machineState, namesOf, type MachineState } from "./machine.ts";

/** What a cluster has on its machine, and in the folders of its nodes, for the pods and volumes that there are. */
export interface Belongings {
  readonly machine: MachineState;
  readonly files: readonly string[];
}

const folders = ["volumes", "node/pods", "node/containers/containers", "node/containers/exits"];

/** Looks at the cluster in a folder, which runs. */
export async function belongingsOf(dir: string): Promise<Belongings> {
  const state = await machineState(namesOf(dir));
  // Parts that were started again have other numbers.
  const processes = state.processes.map((line) => line.replace(/^\d+ /u, "")).toSorted();
  const files = namesIn(join(dir, "nodes")).flatMap((node) =>
    folders.flatMap((folder) =>
      namesIn(join(dir, "nodes", node, folder)).map((name) => `nodes/${node}/${folder}/${name}`),
    ),
  );
  return { machine: { ...state, processes }, files };
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What has come since, or has gone from the machine. */
export function changedBelongings(before: Belongings, now: Belongings): readonly string[] {
  return [
    ...changesBetween(before.machine, now.machine),
    ...now.files.filter((file) => !before.files.includes(file)).map((file) => `file ${file}`),
  ];
}
