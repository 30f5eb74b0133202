import { connect } from "node:net";
import { programPath } from "../../real/programs.ts";
import { supervise, type Supervised } from "../../real/supervised.ts";
import { until } from "../../real/wait.ts";

/** A real etcd of one to three members, which is ours alone. `await using` stops it. */
export interface EtcdCluster extends AsyncDisposable {
  /** As `host:port`. */
  readonly endpoints: readonly string[];
  readonly folder: string;
  /** Ends a member as a power cut does. */
  kill(member: number): Promise<void>;
  /** Lets a member stand still, or go on. */
  signal(member: number, signal: "SIGSTOP" | "SIGCONT"): void;
  /** Starts a member that was killed, with the data that it had. */
  restart(member: number): Promise<void>;
}

/** Starts an etcd, and gives it when all members listen. */
export async function startEtcd(
  options: {
    readonly members?: 1 | 3;
    readonly args?: readonly string[];
    readonly tls?: boolean;
    /** Puts files into the folder that the members run in. */
    readonly prepare?: (folder: string) => Promise<void>;
  } = {},
): Promise<EtcdCluster> {
  const { members = 1, args = [], tls = false } = options;
  const supervised = await supervise();
  await options.prepare?.(supervised.folder);
  const names = Array.from({ length: members }, (_, index) => `m${index}`);
  const pids = new Map<number, number>();
  let starts = 0;
  const start = async (member: number): Promise<void> => {
    const url = `${tls ? "https" : "http"}://127.0.0.1:${supervised.ports[member]}`;
    const name = names[member] ?? "";
    const { pid } = await supervised.start({
      name: `etcd-${name}-${starts++}`,
      program: programPath("etcd"),
      args: [
        `--name=${name}`,
        `--data-dir=${name}.data`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peer(name)}`,
        `--initial-advertise-peer-urls=${peer(name)}`,
        `--initial-cluster=${names.map((each) => `${each}=${peer(each)}`).join(",")}`,
        "--log-level=warn",
        ...args,
      ],
    });
    pids.set(member, pid);
  };
  const endpoints = names.map((_, member) => `127.0.0.1:${supervised.ports[member]}`);
  const send = (member: number, signal: NodeJS.Signals): void => {
    process.kill(pids.get(member) ?? 0, signal);
  };
  await Promise.all(names.map((_, member) => start(member)));
  await Promise.all(endpoints.map((endpoint) => untilListening(supervised, endpoint)));
  return {
    endpoints,
    folder: supervised.folder,
    kill: async (member) => {
      send(member, "SIGKILL");
      await until("the member is gone", async () => !(await isListening(endpoints[member] ?? "")));
    },
    signal: send,
    restart: async (member) => {
      await start(member);
      await until("the member listens", () => isListening(endpoints[member] ?? ""));
    },
    [Symbol.asyncDispose]: () => supervised.stop(),
  };
}

/** Peers meet in the folder of the cluster: no ports, and nobody else can reach them. */
function peer(name: string): string {
  return `unix://${name}.sock:0`;
}

async function untilListening(supervised: Supervised, endpoint: string): Promise<void> {
  await until(`etcd listens at ${endpoint}`, async () => {
    await supervised.throwIfEnded();
    return isListening(endpoint);
  });
}

function isListening(endpoint: string): Promise<boolean> {
  const [host = "", port = ""] = endpoint.split(":");
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    const answer = (isSo: boolean) => () => {
      socket.destroy();
      resolve(isSo);
    };
    socket.on("connect", answer(true)).on("error", answer(false));
  });
}
