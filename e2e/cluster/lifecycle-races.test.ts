import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  changesBetween,
  machineState,
  namesOf,
  processesOf,
  type ClusterNames,
  type MachineState,
} from "./testing/machine.ts";
import { whyNoContainers } from "../node/needs.ts";
import { runCli, startCli, type CliResult } from "./testing/run-cli.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";

// Commands on one folder at the same time. The tests follow each other.
describe("commands that meet in one folder", needs(whyNoContainers()), () => {
  let parent: string;
  let dir: string;
  let before: MachineState;
  let names: ClusterNames;
  let small: readonly string[];

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "kedge-races-"));
    dir = join(parent, "state");
    before = await machineState({ words: [], id: "" });
    small = ["--no-sample", "--no-operators", "--port", String(await freePort())];
  });
  afterAll(async () => {
    await runCli(["down", "--purge", "--dir", dir], parent);
    rmSync(parent, { recursive: true, force: true });
  });

  const up = (name = dir): Promise<CliResult> => runCli(["up", "--detach", ...small, "--dir", name], parent);
  const down = (...flags: readonly string[]): Promise<CliResult> =>
    runCli(["down", "--dir", dir, ...flags], parent);

  /** Waits until a command has the folder, which it takes before it does anything else. */
  const hasFolder = async (): Promise<void> => {
    const isHeld = (): boolean => existsSync(`/proc/${pidIn(join(dir, "lock"))}`);
    await expect.poll(isHeld, { interval: 10 }).toBe(true);
  };

  it("start one cluster when two are to be started at once, by two names", async () => {
    symlinkSync(dir, join(parent, "link"));
    const both = await Promise.all([up(), up(join(parent, "link"))]);
    const [winner, loser] = both.toSorted((one, other) => (one.code ?? 1) - (other.code ?? 1));
    expect(winner).toMatchObject({ code: 0 });
    expect(winner?.stdout).toMatch(/^Ready in/mu);
    expect(loser).toMatchObject({ code: 1, stdout: "" });
    expect(loser?.stderr).toMatch(
      /^kedge: the cluster in \S+\/state is being started by process \d+\. `kedge status/u,
    );
    expect(await runCli(["status", "--dir", dir], parent)).toMatchObject({ code: 0 });
  });

  it("stop it once when it is to be stopped twice at once", async () => {
    names = namesOf(dir);
    const both = await Promise.all([down(), down()]);
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(both.map(({ stdout }) => stdout).join("")).toContain("Stopped.");
    expect(changesBetween(before, await machineState(names))).toEqual([]);
    expect((await down()).stdout).toMatch(/^No cluster was running\./u);
  });

  it.each([
    ["in the background", ["--detach"]],
    ["in the foreground", []],
  ])("stop a start %s that has only begun", async (_where, flags) => {
    const starting = startCli(["up", ...flags, ...small, "--dir", dir], parent);
    await hasFolder();
    const stopped = await down();
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    expect(stopped.stdout).toMatch(/^Stopped\./u);
    const ended = await starting.ended;
    expect(ended.code).not.toBe(0);
    expect(ended.stdout).not.toContain("Ready");
    expect(processesOf([dir])).toEqual([]);
    expect(changesBetween(before, await machineState(names))).toEqual([]);
  });

  it("leave a folder in which a killed start can be started again", async () => {
    const starting = startCli(["up", ...small, "--dir", dir], parent);
    await hasFolder();
    starting.child.kill("SIGKILL");
    await starting.ended;
    const [first, second] = await Promise.all([up(), down()]);
    // Whichever came first: the other did not meet it half way.
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(`${first.code} ${first.stderr}`).toMatch(
      /^(?:0 |1 .*(?:is being stopped|stopped before it was ready))/u,
    );
    await down("--purge");
    expect(existsSync(dir)).toBe(false);
  });
});

function pidIn(lock: string): number {
  const { pid } = JSON.parse(readFileSync(lock, "utf8")) as { readonly pid: number };
  return pid;
}
