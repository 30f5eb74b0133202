import type { Random } from "@kedge/machinery";
import type { ClusterNetwork, ClusterRanges } from "@kedge/network";
import { writeWhole } from "@kedge/network/write-whole";
import type { ClusterFolder } from "./cluster-folder.ts";
import { readJsonFile } from "./json-file.ts";

/** What a cluster keeps from its first start on. */
export interface ClusterSettings extends ClusterNetwork {
  /** Where the API server listened last: it does so again where it can, so that kubeconfigs stay right. */
  readonly port: number;
  readonly nodeName: string;
  /** Whether the sample was created. It is not created again: who deleted it meant it. */
  readonly sampleCreated: boolean;
  /** Whether the store was opened once. From then on it must be there. */
  readonly storeCreated?: boolean;
}

/** Whether there is a cluster in the folder. */
export async function hasCluster(folder: ClusterFolder): Promise<boolean> {
  return (await readJsonFile(folder.settings)) !== undefined;
}

/** Settings for a cluster that is yet to be. */
export function newSettings(ranges: ClusterRanges, random: Random): ClusterSettings {
  const id = random.uuid().slice(0, 6);
  return { id, ...ranges, domain: "cluster.local", port: 6443, nodeName: "kedge", sampleCreated: false };
}

/** The settings in the folder. */
export async function loadSettings(folder: ClusterFolder): Promise<ClusterSettings> {
  const stored = await readJsonFile(folder.settings);
  if (!isSettings(stored)) {
    throw new Error(
      `${folder.settings} is not a cluster's settings: give another --dir, or remove that file`,
    );
  }
  return stored;
}

/** Remembers them. */
export async function saveSettings(folder: ClusterFolder, settings: ClusterSettings): Promise<void> {
  await writeWhole(folder.settings, `${JSON.stringify(settings, undefined, 2)}\n`);
}

function isSettings(value: unknown): value is ClusterSettings {
  const wanted = {
    id: "string",
    podRange: "string",
    serviceRange: "string",
    domain: "string",
    port: "number",
    nodeName: "string",
    sampleCreated: "boolean",
  };
  const fields = new Map(Object.entries(value ?? {}));
  return Object.entries(wanted).every(([name, type]) => typeof fields.get(name) === type);
}
