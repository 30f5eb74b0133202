import { connect, loadKubeconfig, type Client } from "@kedge/client";
import { Application } from "@kedge/application-operator";
import { isConditionTrue, keyToString, messageOf, type Clock } from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import type { ClusterFolder } from "../../cluster/cluster-folder.ts";
import { settingIn } from "../../cluster/cluster-settings.ts";
import { lockOwner } from "../../cluster/folder-lock.ts";
import {
  isAlive,
  rememberedProcesses,
  type RunningProcess,
  type Trouble,
} from "../../cluster/running-processes.ts";
import { parseStore, storeText } from "../../cluster/store-choice.ts";
import { isStopped } from "../../cluster/stopped-nodes.ts";
import { countPods, type PodCount } from "./count-pods.ts";

/** What `kedge status` knows. Its JSON form is what scripts get. */
export interface ClusterStatus {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly running: boolean;
  /** `kedge up` is not done with it yet: parts may be ready already, but not all that it starts. */
  readonly starting: boolean;
  readonly ready: boolean;
  /** What keeps the objects. */
  readonly store: string;
  readonly processes: readonly Pick<RunningProcess, "role" | "pid">[];
  /** The parts that were started again, and why the last time. */
  readonly troubles: readonly ({ readonly role: string } & Trouble)[];
  /** Undefined when the API server does not answer. */
  readonly cluster?: ClusterContent;
  /** Why it is not known. */
  readonly problem?: string;
}

/** A node of the cluster. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  /** Whether `kedge node stop` has stopped it. */
  readonly stopped: boolean;
  /** Whether nothing runs in its pods. */
  readonly simulated: boolean;
}

/** What the API server says. */
export interface ClusterContent {
  readonly nodes: readonly NodeState[];
  readonly pods: PodCount;
  readonly redisInstances: readonly {
    readonly name: string;
    readonly status: string;
    readonly ready: string;
  }[];
  readonly applications: readonly { readonly name: string; readonly phase: string }[];
}

const patience = 5000;

/** Looks at processes, and asks the API server. */
export async function clusterStatus(folder: ClusterFolder, clock: Clock): Promise<ClusterStatus> {
  const remembered = await rememberedProcesses(folder);
  const processes = remembered.filter(isAlive).map(({ role, pid }) => ({ role, pid }));
  const troubles = remembered.flatMap(({ role, trouble }) => (trouble ? [{ role, ...trouble }] : []));
  const base = {
    folder: folder.path,
    kubeconfig: folder.kubeconfig,
    store: await storeOf(folder),
    running: processes.length > 0,
    starting: processes.length > 0 && lockOwner(folder)?.role === "up",
    processes,
    troubles: processes.length === 0 ? [] : troubles,
  };
  if (processes.length === 0) return { ...base, ready: false };
  try {
    const cluster = await contentOf(folder, clock);
    const ready = !base.starting && cluster.nodes.length > 0 && cluster.nodes.every((node) => node.ready);
    return { ...base, ready, cluster };
  } catch (error) {
    return { ...base, ready: false, problem: messageOf(error) };
  }
}

/** As the settings say; a folder without any has none. */
async function storeOf(folder: ClusterFolder): Promise<string> {
  const store = await settingIn(folder, "store");
  return storeText(parseStore(typeof store === "string" ? store : undefined));
}

async function contentOf(folder: ClusterFolder, clock: Clock): Promise<ClusterContent> {
  const client = connect(await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig }), { clock });
  try {
    return await contentBy(client, folder);
  } finally {
    await client.close();
  }
}

async function contentBy(client: Client, folder: ClusterFolder): Promise<ClusterContent> {
  const options = { timeout: patience };
  const [nodes, pods] = await Promise.all([
    client.of(Node).list(options).all(),
    client.of(Pod).list(options).all(),
  ]);
  // Without the operators their kinds are not there.
  const instances = await client
    .of(RedisInstance)
    .list(options)
    .all()
    .catch(() => ({ items: [] }));
  const applications = await client
    .of(Application)
    .list(options)
    .all()
    .catch(() => ({ items: [] }));
  return {
    nodes: nodes.items.map(({ metadata, status }) => ({
      name: metadata.name,
      // It takes a while until the API server finds that one does not answer.
      ready: isConditionTrue(status?.conditions, "Ready") && !isStopped(folder, metadata.name),
      stopped: isStopped(folder, metadata.name),
      simulated: status?.nodeInfo?.containerRuntimeVersion.startsWith("simulated://") ?? false,
    })),
    pods: countPods(pods.items),
    redisInstances: instances.items.map(({ metadata, status }) => ({
      name: keyToString(metadata),
      status: status?.status ?? "Unknown",
      ready: status?.readyReplicas ?? "",
    })),
    applications: applications.items.map(({ metadata, status }) => ({
      name: keyToString(metadata),
      phase: status?.phase ?? "Unknown",
    })),
  };
}
