import { stat } from "node:fs/promises";
import { hasCode, messageOf, type Random } from "@kedge/machinery";
import type { ClusterNetwork, ClusterRanges } from "@kedge/network";
import { writeWhole } from "@kedge/network/write-whole";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { Profile } from "@kedge/scheduler";
import { readJsonFile } from "./json-file.ts";
import { isNodeSettings, newNode, onlyNode, type NodeSettings } from "./node-settings.ts";
import type { PodRuntime } from "./pod-runtime.ts";

/** What a cluster keeps from its first start on. */
export interface ClusterSettings extends Omit<ClusterNetwork, "podCIDR" | "uplink"> {
  /** Where the API server listened last: it does so again where it can, so that kubeconfigs stay right. */
  readonly port: number;
  readonly nodes: readonly NodeSettings[];
  /** What runs its pods. Default: runc. */
  readonly runtime?: PodRuntime | undefined;
  /** Seconds that a node may be silent until it is not ready. Default: as kube-controller-manager has it. */
  readonly nodeMonitorGracePeriod?: number | undefined;
  /** Names of images, and what is run instead. */
  readonly imageAliases?: Readonly<Record<string, string>> | undefined;
  /** How pods are placed, by the names that they ask for. Default: Kubernetes' default profile. */
  readonly schedulerProfiles?: readonly Profile[] | undefined;
  /** Whether the sample was created. It is not created again: who deleted it meant it. */
  readonly sampleCreated: boolean;
  /** What keeps its objects, as `--store` has it. Default: lmdb. */
  readonly store?: string | undefined;
  /** The file with the keys that Secrets are encrypted with. Default: they are not. */
  readonly encryptionProviderConfig?: string | undefined;
  /** The file that says what the audit log tells. Default: there is no such log. */
  readonly auditPolicyFile?: string | undefined;
  /** Whether the store was opened once. From then on it must be there. */
  readonly storeCreated?: boolean;
}

/** Whether there is a cluster in the folder, readable or not. */
export async function hasCluster({ settings }: ClusterFolder): Promise<boolean> {
  try {
    await stat(settings);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return false;
    throw new Error(`${settings} cannot be read: ${messageOf(error)}. ${wayOut}`, { cause: error });
  }
}

/** What the settings of a folder, perhaps not ours, have under a name; undefined where there are none. */
export async function settingIn(folder: ClusterFolder, name: keyof ClusterSettings): Promise<unknown> {
  const settings = await readJsonFile(folder.settings).catch(() => undefined);
  return new Map<string, unknown>(Object.entries(settings ?? {})).get(name);
}

/** Which addresses, network and control groups of the machine are the cluster's is nowhere else. */
const wayOut =
  "It has the cluster's name and addresses: put a copy of it back (cluster.json.copy beside it is one), " +
  "or make it readable. " +
  "For a new cluster give another --dir.";

/** Whether its pods are simulated: then it has nothing on this machine but its folder and processes. */
export function isSimulated({ runtime }: Pick<ClusterSettings, "runtime">): boolean {
  return runtime === "simulated";
}

/** Settings for a cluster that is yet to be. It has one node. */
export function newSettings(ranges: ClusterRanges, random: Random): ClusterSettings {
  const id = random.uuid().slice(0, 6);
  const settings = { id, ...ranges, domain: "cluster.local", port: 6443, nodes: [], sampleCreated: false };
  return withNodes(settings, 1);
}

/** The same cluster with as many nodes, those that it has among them. Not with fewer: pods and volumes are on them. */
export function withNodes(settings: ClusterSettings, count: number): ClusterSettings {
  const { nodes } = settings;
  if (count < nodes.length) {
    const names = nodes.map(({ name }) => name).join(", ");
    throw new Error(
      `--nodes ${count}: the cluster has ${nodes.length} nodes (${names}), with volumes on them. ` +
        `\`kedge node stop\` stops one while the cluster runs; for a smaller cluster give another --dir, ` +
        `or delete this one with \`kedge down --purge\`.`,
    );
  }
  if (count === nodes.length) return settings;
  const name = nodes.length === 0 ? "kedge" : `kedge-${nodes.length + 1}`;
  return withNodes({ ...settings, nodes: [...nodes, newNode(settings, name)] }, count);
}

/** One of the cluster's nodes. */
export function nodeNamed({ nodes }: ClusterSettings, name: string): NodeSettings {
  const node = nodes.find((one) => one.name === name);
  if (node === undefined) throw new Error(`the cluster has no node ${JSON.stringify(name)}`);
  return node;
}

/** The settings in the folder. */
export async function loadSettings(folder: ClusterFolder): Promise<ClusterSettings> {
  return await readSettings(folder.settings);
}

/** The settings by which a cluster is stopped: where its own were damaged, their copy. */
export async function settingsForStop(folder: ClusterFolder): Promise<ClusterSettings> {
  try {
    return await readSettings(folder.settings);
  } catch (error) {
    const copy = await readSettings(folder.settingsCopy).catch(() => undefined);
    if (copy === undefined) throw error;
    return copy;
  }
}

async function readSettings(path: string): Promise<ClusterSettings> {
  const stored = withNodeList(await readJsonFile(path, wayOut));
  if (!isSettings(stored)) throw new Error(`${path} is not a cluster's settings. ${wayOut}`);
  return stored;
}

/** Remembers them. */
export async function saveSettings(folder: ClusterFolder, settings: ClusterSettings): Promise<void> {
  const text = `${JSON.stringify(settings, undefined, 2)}\n`;
  await writeWhole(folder.settings, text);
  await writeWhole(folder.settingsCopy, text);
}

/** Version 0.1.0 wrote the name of its only node where the list of nodes is now. */
function withNodeList(stored: unknown): unknown {
  const settings = new Map<string, unknown>(Object.entries(stored ?? {}));
  const [name, id, podRange] = ["nodeName", "id", "podRange"].map((field) => settings.get(field));
  if (typeof name !== "string" || typeof id !== "string" || typeof podRange !== "string") return stored;
  settings.delete("nodeName");
  return Object.fromEntries(settings.set("nodes", [onlyNode({ id, podRange }, name)]));
}

function isSettings(value: unknown): value is ClusterSettings {
  const wanted = {
    id: "string",
    podRange: "string",
    serviceRange: "string",
    domain: "string",
    port: "number",
    sampleCreated: "boolean",
  };
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const nodes = fields.get("nodes");
  return (
    Object.entries(wanted).every(([name, type]) => typeof fields.get(name) === type) &&
    Array.isArray(nodes) &&
    nodes.every(isNodeSettings)
  );
}
