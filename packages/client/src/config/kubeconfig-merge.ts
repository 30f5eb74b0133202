import { delimiter } from "node:path";
import type { Clock } from "@kedge/machinery";
import { parseKubeconfig } from "./kubeconfig-file.ts";
import type { Kubeconfig } from "./kubeconfig-types.ts";
import { readFileIfThere } from "./read-file.ts";

/** The files that a KUBECONFIG variable names, each once; empty names are skipped. */
export function kubeconfigPaths(variable: string): readonly string[] {
  return [...new Set(variable.split(delimiter))].filter((file) => file !== "");
}

/** Reads kubeconfigs and merges them as kubectl does. Missing files are skipped; undefined when all are missing. */
export async function readKubeconfigs(
  files: readonly string[],
  clock: Clock,
): Promise<Kubeconfig | undefined> {
  const parsed = await Promise.all(files.map((file) => readKubeconfig(file, clock)));
  const present = parsed.filter((kubeconfig) => kubeconfig !== undefined);
  return present.length === 0 ? undefined : mergeKubeconfigs(present);
}

/** The first file that has an entry of a name wins, entry as a whole; so does the first current-context. */
function mergeKubeconfigs(kubeconfigs: readonly Kubeconfig[]): Kubeconfig {
  return {
    files: kubeconfigs.flatMap((each) => each.files),
    currentContext: kubeconfigs.find((each) => each.currentContext !== undefined)?.currentContext,
    clusters: firstWins(kubeconfigs.map((each) => each.clusters)),
    users: firstWins(kubeconfigs.map((each) => each.users)),
    contexts: firstWins(kubeconfigs.map((each) => each.contexts)),
  };
}

async function readKubeconfig(file: string, clock: Clock): Promise<Kubeconfig | undefined> {
  const place = { document: file, path: "", code: "CONFIG" } as const;
  const text = await readFileIfThere({ file, place }, clock);
  return text === undefined ? undefined : parseKubeconfig(text, file);
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(maps.toReversed().flatMap((map) => Array.from(map)));
}
