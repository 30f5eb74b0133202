import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineNetworkId } from "@kedge/network";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  changesBetween,
  machineState,
  namesOf,
  processesOf,
  type MachineState,
} from "../cluster/testing/machine.ts";
import { runCli, startCli } from "../cluster/testing/run-cli.ts";
import { whyNoContainers } from "../node/needs.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";

describe("a start of three nodes that is killed", needs(whyNoContainers()), () => {
  let parent: string;
  let dir: string;
  let before: MachineState;
  let three: readonly string[];

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "kedge-killed-"));
    dir = join(parent, "state");
    before = await machineState({ words: [], id: "" });
    three = ["--nodes", "3", "--no-operators", "--port", String(await freePort())];
  });
  afterAll(async () => {
    await runCli(["down", "--purge", "--dir", dir], parent);
    rmSync(parent, { recursive: true, force: true });
  });

  const roles = (): readonly string[] => {
    const file = join(dir, "running.json");
    if (!existsSync(file)) return [];
    const processes = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly role: string }[];
    return processes.map(({ role }) => role);
  };
  const namespaces = (): number => {
    const file = join(dir, "cluster.json");
    if (!existsSync(file)) return 0;
    const { id } = JSON.parse(readFileSync(file, "utf8")) as { readonly id: string };
    const prefix = `kedge-${machineNetworkId(id)}-`;
    return readdirSync("/run/netns").filter((name) => name.startsWith(prefix)).length;
  };
  const logged = (node: string, what: string): boolean => {
    const file = join(dir, "logs", `node-${node}.log`);
    return existsSync(file) && readFileSync(file, "utf8").includes(what);
  };

  it.each([
    ["the first namespace is made", () => namespaces() > 0],
    ["all agents are launched", () => roles().filter((role) => role.startsWith("node/")).length === 3],
    [
      "one node is ready",
      () => ["kedge", "kedge-2", "kedge-3"].some((node) => logged(node, "The node is ready")),
    ],
  ])("leaves nothing after `down` when everything was killed as soon as %s", async (_moment, hasCome) => {
    rmSync(join(dir, "logs"), { recursive: true, force: true });
    const starting = startCli(["up", ...three, "--dir", dir], parent);
    await expect.poll(hasCome, { interval: 5 }).toBe(true);
    const left = processesOf([dir]);
    // Stopped first, so that none of them sees another one end.
    for (const signal of ["SIGSTOP", "SIGKILL"]) for (const { pid } of left) signalIfAlive(pid, signal);
    await starting.ended;
    await expect.poll(() => processesOf([dir])).toEqual([]);
    expect(namespaces()).toBeGreaterThan(0);
    const names = namesOf(dir);
    expect(await runCli(["down", "--dir", dir], parent)).toMatchObject({ code: 0, stderr: "" });
    expect(changesBetween(before, await machineState(names))).toEqual([]);
  });

  it.each(["supervisor", "server", "node/kedge-2"])(
    "starts, or says why not, when %s is killed meanwhile",
    async (role) => {
      const starting = startCli(["up", ...three, "--dir", dir, "--detach"], parent);
      await expect.poll(() => roles().includes(role), { interval: 5 }).toBe(true);
      const names = namesOf(dir);
      const processes = JSON.parse(readFileSync(join(dir, "running.json"), "utf8")) as readonly {
        readonly role: string;
        readonly pid: number;
      }[];
      signalIfAlive(processes.find((one) => one.role === role)?.pid ?? 0, "SIGKILL");
      expect(await starting.ended).toMatchObject({ code: 1 });
      expect(await runCli(["down", "--dir", dir], parent)).toMatchObject({ code: 0, stderr: "" });
      expect(changesBetween(before, await machineState(names))).toEqual([]);
    },
  );
});

function signalIfAlive(pid: number, signal: string): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
