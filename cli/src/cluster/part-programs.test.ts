import { spawn } from "node:child_process";
import { once } from "node:events";
import { realClock } from "@kedge/machinery";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { endPartPrograms, partMark, partPrograms } from "./part-programs.ts";
import { describeProcess, isAlive, type RunningProcess } from "./running-processes.ts";

const clock = realClock;
const folder = clusterFolder("/c/with spaces");

// Processes are known by /proc.
describe("the programs that a part has started", () => {
  beforeEach(({ skip }) => {
    if (process.platform !== "linux") skip("needs Linux");
  });

  it("are ended when they go on after it", async () => {
    const left = await programOf("node/a");
    await endPartPrograms(folder, { clock });
    expect(isAlive(left)).toBe(false);
  });

  it("are ended for one part alone, where only that has ended", async () => {
    const [one, other] = [await programOf("node/a"), await programOf("node/b")];
    await endPartPrograms(folder, { role: "node/a", clock });
    expect([isAlive(one), isAlive(other)]).toEqual([false, true]);
  });

  it("are not those of another cluster, nor this process", async () => {
    const stranger = await programOf("node/a", "/c/with");
    expect(partPrograms(folder)).toEqual([]);
    expect(partPrograms(clusterFolder("/c/with"))).toEqual([{ ...stranger, role: "program" }]);
  });
});

/** What a part that was killed has left. */
async function programOf(role: string, path = folder.path): Promise<RunningProcess> {
  const env = { ...process.env, ...partMark(clusterFolder(path), role) };
  const part = spawn("sh", ["-c", "sleep 1000 >&- & echo $!; exec sleep 1000"], { env });
  const [line] = (await once(part.stdout, "data")) as [Buffer];
  const program = describeProcess("program", Number(line.toString()));
  onTestFinished(() => {
    if (isAlive(program)) process.kill(program.pid, "SIGKILL");
  });
  part.kill("SIGKILL");
  await once(part, "exit");
  // The shell's child may not be the program yet.
  await expect.poll(() => partPrograms(clusterFolder(path)).length).toBeGreaterThan(0);
  return program;
}
