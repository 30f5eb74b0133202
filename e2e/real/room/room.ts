import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { testRanges } from "../../testing/test-ranges.ts";
import { supervise, type SupervisedProcess } from "../supervised.ts";
import type { Order } from "../supervisor.ts";
import { until } from "../wait.ts";

/**
 * Namespaces for programs that listen on all addresses, mount, or leave children behind: a network of their own with one
 * cable to this machine, mounts and process ids of their own. All of it ends with the room, and the room with the test.
 */
export interface Room extends AsyncDisposable {
  /** Where this machine finds the room. */
  readonly address: string;
  /** Where the room finds this machine. */
  readonly gateway: string;
  /** Only for us, and gone with the room. Logs are in it. */
  readonly folder: string;
  /** Starts a program in the room. Its paths are to be whole. */
  start(order: Order): Promise<SupervisedProcess>;
  /** Runs a program in the room to its end, and gives what it printed. */
  run(program: string, ...args: readonly string[]): Promise<string>;
  /** Throws, with the end of its log, as soon as one of the programs has ended by itself. */
  throwIfEnded(): Promise<void>;
}

/** Its first process, which collects the orphans of the others. */
const firstProcess = ["sh", "-c", "sleep infinity & wait"];
const namespaces = ["--net", "--mount", "--pid"];
const run = promisify(execFile);
let rooms = 0;

/** Opens a room, for root. */
export async function openRoom(): Promise<Room> {
  const supervised = await supervise();
  const { folder } = supervised;
  const throwIfEnded = (): Promise<void> => supervised.throwIfEnded();
  try {
    const keeper = await supervised.start({
      name: "room",
      program: "unshare",
      args: [...namespaces, "--fork", "--kill-child", "--mount-proc", ...firstProcess],
    });
    const first = await firstProcessOf(keeper.pid, throwIfEnded);
    const enter = ["--target", String(first), ...namespaces];
    const inRoom = async (program: string, ...args: readonly string[]): Promise<string> =>
      (await run("nsenter", [...enter, program, ...args])).stdout;
    const { gateway, address } = await connectRoom(first, inRoom);
    return {
      address,
      gateway,
      folder,
      throwIfEnded,
      run: inRoom,
      start: ({ name, program, args }) =>
        supervised.start({ name, program: "nsenter", args: [...enter, program, ...args] }),
      async [Symbol.asyncDispose]() {
        await endOf(first);
        await supervised.stop();
      },
    };
  } catch (error) {
    await supervised.stop();
    throw error;
  }
}

/** It is there when it is in a network of its own. */
async function firstProcessOf(keeper: number, throwIfEnded: () => Promise<void>): Promise<number> {
  const here = await readlink("/proc/self/ns/net");
  let first = 0;
  await until("the room has its first process", async () => {
    await throwIfEnded();
    first = Number(await readFile(`/proc/${keeper}/task/${keeper}/children`, "utf8"));
    return first > 0 && (await readlink(`/proc/${first}/ns/net`)) !== here;
  });
  return first;
}

/** One cable, with four addresses of the range that this process has claimed for its networks. It goes with the room. */
async function connectRoom(
  first: number,
  inRoom: Room["run"],
): Promise<{ readonly gateway: string; readonly address: string }> {
  const { podRange } = await testRanges();
  const network = podRange.split(".").slice(0, 2).join(".");
  const base = 4 * (rooms++ % 60);
  const [gateway, address] = [`${network}.255.${base + 1}`, `${network}.255.${base + 2}`];
  const cable = `kroom${first}`;
  await run("ip", ["link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", String(first)]);
  await run("ip", ["address", "add", `${gateway}/30`, "dev", cable]);
  await run("ip", ["link", "set", cable, "up"]);
  await inRoom("ip", "link", "set", "lo", "up");
  await inRoom("ip", "address", "add", `${address}/30`, "dev", "eth0");
  await inRoom("ip", "link", "set", "eth0", "up");
  await inRoom("ip", "route", "add", "default", "via", gateway);
  return { gateway, address };
}

/** With the first process end all that it has begotten, and with the last of them mounts and network. */
async function endOf(first: number): Promise<void> {
  process.kill(first, "SIGKILL");
  const isGone = (): Promise<boolean> =>
    readlink(`/proc/${first}/ns/pid`).then(
      () => false,
      () => true,
    );
  await until("the room is empty", isGone);
}
