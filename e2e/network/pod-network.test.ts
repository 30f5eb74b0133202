import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock, silentLogger } from "@kedge/machinery";
import {
  createCommands,
  createPodNetwork,
  freeRanges,
  type NetworkCommands,
  type PodNetwork,
} from "@kedge/network";
import { createPackageCache, findPrograms } from "@kedge/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const clock = realClock;
const id = "e2e0e2";

describe.skipIf(!isRoot)("pod network (needs root on Linux)", () => {
  let folder = "";
  let commands: NetworkCommands;
  const ranges = freeRanges();
  const open = (): PodNetwork =>
    createPodNetwork({
      network: { id, ...ranges, domain: "cluster.local" },
      podCIDR: ranges.podRange,
      folder: join(folder, "network"),
      commands,
      clock,
      logger: silentLogger,
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-network-"));
    const path = process.env["PATH"] ?? "";
    const cache = createPackageCache({
      folder: process.env["KEDGE_CACHE"] ?? join(homedir(), ".cache/kedge"),
      clock,
      logger: silentLogger,
      path,
    });
    commands = createCommands(await findPrograms({ cache, clock, path }), clock);
    await open().remove();
  });

  afterAll(async () => {
    await open().remove();
    await rm(folder, { recursive: true });
  });

  it("gives each pod an address that this machine and other pods reach, and takes it away again", async () => {
    const before = await machine(commands);
    const network = open();
    await network.start();
    const [a, b] = [await network.attach("pod-a"), await network.attach("pod-b")];
    expect(a.address).not.toBe(b.address);
    await using _server = await listenIn(a.namespacePath);
    expect(await connects(a.address)).toBe(true);
    const { stdout } = await run("nsenter", [
      `--net=${b.namespacePath}`,
      process.execPath,
      "-e",
      connect(a.address),
    ]);
    expect(stdout).toBe("connected");
    await network.detach("pod-a");
    await network.detach("pod-a");
    expect(await network.attached()).toEqual(["pod-b"]);
    await network.remove();
    expect(await machine(commands)).toEqual(before);
  });

  it("lets nobody on another network of the machine in, and keeps these networks apart", async () => {
    const network = open();
    await using stranger = await otherMachine(commands);
    const before = await machine(commands);
    await network.start();
    const local = createServer((socket) => socket.end()).listen(port, network.gateway);
    await once(local, "listening");
    const { address, namespacePath } = await network.attach("pod-a");
    await using _server = await listenIn(namespacePath);
    expect(await connects(address)).toBe(true);
    expect(await stranger.connects(address)).toBe(false);
    expect(await stranger.connects(network.gateway)).toBe(false);
    // It is the guard that refuses, nothing else.
    await commands.nft(`delete table ip kedge-${id}-guard\n`);
    await expect.poll(() => stranger.connects(address)).toBe(true);
    await expect.poll(() => stranger.connects(network.gateway)).toBe(true);
    local.close();
    await network.remove();
    expect(await machine(commands)).toEqual(before);
  });

  it("finds a pod's network again after a restart, and repairs one that was only begun", async () => {
    const first = open();
    await first.start();
    const { address, namespacePath } = await first.attach("pod-a");
    const inode = await inodeOf(namespacePath);

    const second = open();
    await second.start();
    expect(await second.attach("pod-a")).toEqual({ address, namespacePath });
    expect(await inodeOf(namespacePath)).toBe(inode);

    await commands.ip("route", "del", `${address}/32`);
    const third = open();
    expect(await third.attach("pod-a")).toEqual({ address, namespacePath });
    expect(await inodeOf(namespacePath)).not.toBe(inode);
    await using _server = await listenIn(namespacePath);
    expect(await connects(address)).toBe(true);
    await third.remove();
  });

  it("is taken away also when its start was cut off, and when it is not there", async () => {
    const before = await machine(commands);
    await commands.ip("link", "add", `kedge-${id}`, "type", "bridge");
    for (const _time of ["half of it", "nothing"]) {
      await open().remove();
      expect(await machine(commands)).toEqual(before);
    }
  });
});

/** All that a pod network could leave behind. */
async function machine(commands: NetworkCommands): Promise<unknown> {
  return {
    interfaces: (await commands.ip("-o", "link")).split("\n").filter((line) => line.includes(id)),
    routes: (await commands.ip("route")).split("\n").filter((line) => line.includes(id)),
    namespaces: (await commands.ip("netns")).split("\n").filter((line) => line.includes(id)),
    tables: (await commands.nftQuery("list", "tables")).split("\n").filter((line) => line.includes(id)),
    forwarding: await readFile("/proc/sys/net/ipv4/ip_forward", "utf8"),
    closed: (await commands.nftQuery("list", "tables")).includes("kedge-forwarding"),
  };
}

/** A machine on a network of ours that sends all it has to us. */
async function otherMachine(commands: NetworkCommands) {
  const [namespace, cable] = [`stranger-${id}`, `st${id}`];
  await commands.ipBatch([
    `netns add ${namespace}`,
    `link add ${cable} type veth peer name eth0 netns ${namespace}`,
  ]);
  await commands.ipBatch([`addr add 198.51.100.1/24 dev ${cable}`, `link set ${cable} up`]);
  await commands.ipBatch(
    ["addr add 198.51.100.2/24 dev eth0", "link set eth0 up", "route add default via 198.51.100.1"],
    namespace,
  );
  return {
    /** Within 2 s: what is refused is not answered at all. */
    connects: async (address: string): Promise<boolean> => {
      const program = `${connect(address)}.on("error", () => undefined); setTimeout(() => process.exit(), 2000)`;
      const inside = [`--net=/run/netns/${namespace}`, process.execPath, "-e", program];
      const { stdout } = await run("nsenter", inside);
      return stdout === "connected";
    },
    [Symbol.asyncDispose]: async () => {
      await commands.ip("link", "del", cable);
      await commands.ip("netns", "del", namespace);
    },
  };
}

const port = 8080;
const serve = `require("node:net").createServer(s => s.end()).listen(${port}, () => console.log("listening"))`;

function connect(address: string): string {
  return `require("node:net").connect(${port}, "${address}", function () { process.stdout.write("connected"); this.destroy() })`;
}

/** A server in a network namespace. */
async function listenIn(namespacePath: string): Promise<AsyncDisposable> {
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

async function connects(address: string): Promise<boolean> {
  const socket = createConnection(port, address);
  await once(socket, "connect");
  socket.destroy();
  return true;
}

/** Tells one namespace from another that took its place. */
async function inodeOf(path: string): Promise<string> {
  return (await run("stat", ["-L", "--format=%i", path])).stdout;
}
