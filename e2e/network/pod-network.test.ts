import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open as openFile, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock, silentLogger } from "@kedge/machinery";
import { createPodNetwork, freeRanges, type NetworkCommands, type PodNetwork } from "@kedge/network";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, connects, listenIn, networkCommands, otherMachine, port } from "./testing/machines.ts";
import { needs } from "../testing/needs.ts";

const run = promisify(execFile);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
const clock = realClock;
const id = "e2e0e2";

describe("pod network", needs(isRoot ? undefined : "needs root on Linux"), () => {
  let folder = "";
  let commands: NetworkCommands;
  const ranges = freeRanges();
  const open = (): PodNetwork =>
    createPodNetwork({
      network: { id, ...ranges, podCIDR: ranges.podRange, domain: "cluster.local" },
      folder: join(folder, "network"),
      commands,
      clock,
      logger: silentLogger,
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kedge-network-"));
    commands = await networkCommands();
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
    await using stranger = await otherMachine(commands, id);
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
    // As long as somebody has the namespace open, no other gets its number.
    await using _held = await openFile(namespacePath);

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

/** Tells one namespace from another that took its place. */
async function inodeOf(path: string): Promise<string> {
  return (await run("stat", ["-L", "--format=%i", path])).stdout;
}
