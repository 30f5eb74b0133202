import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock, silentLogger } from "@kedge/machinery";
import { createCommands, type NetworkCommands } from "@kedge/network";
import { createPackageCache, findPrograms } from "@kedge/node";

const run = promisify(execFile);
const clock = realClock;

/** The programs that change the network of this machine. */
export async function networkCommands(): Promise<NetworkCommands> {
  const path = process.env["PATH"] ?? "";
  const cache = createPackageCache({
    folder: process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache/kedge"),
    clock,
    logger: silentLogger,
    path,
  });
  return createCommands(await findPrograms({ cache, clock, path }), clock);
}

/** A machine that is not this one. */
export interface OtherMachine extends AsyncDisposable {
  /** Within 2 s: what is refused is not answered at all. */
  connects(address: string, at?: number): Promise<boolean>;
}

/** A machine on a network of ours that sends all it has to us. */
export async function otherMachine(commands: NetworkCommands, id: string): Promise<OtherMachine> {
  const [namespace, veth] = [`stranger-${id}`, `st${id}`];
  await commands.ipBatch([
    `netns add ${namespace}`,
    `link add ${veth} type veth peer name eth0 netns ${namespace}`,
  ]);
  await commands.ipBatch([`addr add 198.51.100.1/24 dev ${veth}`, `link set ${veth} up`]);
  await commands.ipBatch(
    ["addr add 198.51.100.2/24 dev eth0", "link set eth0 up", "route add default via 198.51.100.1"],
    namespace,
  );
  return {
    connects: async (address, at) => {
      const program = `${connect(address, at)}.on("error", () => undefined); setTimeout(() => process.exit(), 2000)`;
      const inside = [`--net=/run/netns/${namespace}`, process.execPath, "-e", program];
      const { stdout } = await run("nsenter", inside);
      return stdout === "connected";
    },
    [Symbol.asyncDispose]: async () => {
      await commands.ip("link", "del", veth);
      await commands.ip("netns", "del", namespace);
    },
  };
}

/** Where servers of these tests listen. */
export const port = 8080;
const serve = `require("node:net").createServer(s => s.end()).listen(${port}, () => console.log("listening"))`;

/** A program that says when it is connected. */
export function connect(address: string, at: number = port): string {
  return `require("node:net").connect(${at}, "${address}", function () { process.stdout.write("connected"); this.destroy() })`;
}

/** A server in a network namespace. */
export async function listenIn(namespacePath: string): Promise<AsyncDisposable> {
  const child = spawn("nsenter", [`--net=${namespacePath}`, process.execPath, "-e", serve], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Whether this machine reaches an address. */
export async function connects(address: string, at: number = port): Promise<boolean> {
  const socket = createConnection(at, address);
  await once(socket, "connect");
  socket.destroy();
  return true;
}
