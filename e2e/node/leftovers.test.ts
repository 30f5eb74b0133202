import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { realClock, silentLogger } from "@kedge/machinery";
import { cleanUp } from "@kedge/node";
import { describe, expect, it } from "vitest";
import { openLaboratory } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { tracesOnMachine } from "./traces.ts";
import { needs } from "../testing/needs.ts";

describe("containers leave nothing behind", needs(whyNoContainers()), () => {
  it("when they are removed, running or not", async () => {
    await using lab = await openLaboratory();
    const words = [basename(lab.folder), "sleep 98765"];
    const before = tracesOnMachine(words);
    const ids = [
      await lab.run({ command: ["sleep", "98765"], podUid: "pod-a" }),
      await lab.run({ command: ["true"], podUid: "pod-b" }),
      await lab.create({ command: ["sleep", "98765"], podUid: "pod-b" }),
    ];
    const command = ["sh", "-c", "echo ready; exec sleep 98765"];
    const busy = await lab.runtime.exec(ids[0] ?? "", { command, tty: true });
    await once(busy.stdout, "data");
    const during = tracesOnMachine(words);
    expect(during.processes.length).toBeGreaterThan(before.processes.length);
    expect(during.cgroups.length).toBeGreaterThan(before.cgroups.length);
    // The overlays are mounted where only the containers see them.
    expect(during.mounts).toEqual(before.mounts);
    for (const id of ids) await lab.runtime.remove(id);
    expect(await busy.exit).toEqual({ exitCode: 137 });
    expect(tracesOnMachine(words)).toEqual(before);
    expect(await readdir(join(lab.folder, "runtime", "containers"))).toEqual([]);
    expect(await readdir(join(lab.folder, "runtime", "runc"))).toEqual([]);
    expect(await readdir(join(lab.folder, "runtime", "exits"))).toEqual([]);
  });

  it("but how they ended, when the node was stopped in order", async () => {
    await using lab = await openLaboratory();
    const ended = await lab.run({ command: ["sh", "-c", "exit 3"] });
    const running = await lab.run({ command: ["sleep", "98765"] });
    const never = await lab.create({ command: ["true"] });
    await lab.ended(ended);
    const { programs, folder, cgroupParent } = lab;
    await lab.runtime.close();
    const options = { folder: join(folder, "runtime"), programs, clock: realClock, logger: silentLogger };
    await cleanUp({ ...options, cgroupParent, keepEnds: true });
    // One that was cut off is begun again.
    await cleanUp({ ...options, cgroupParent, keepEnds: true });
    await lab.restart();
    expect(await lab.runtime.list()).toEqual([]);
    const time = expect.any(Number) as number;
    const end = { state: "exited", startedAt: time, finishedAt: time, oomKilled: false };
    expect(lab.runtime.pastEnd(ended)).toEqual({ ...end, id: ended, labels: {}, exitCode: 3 });
    expect(lab.runtime.pastEnd(running)).toEqual({ ...end, id: running, labels: {}, exitCode: 137 });
    expect(lab.runtime.pastEnd(never)).toBeUndefined();
  });

  it("when the agent was killed and its folder is cleaned up", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kedge-killed-"));
    const words = [basename(folder), "sleep 87654"];
    const before = tracesOnMachine(words);
    const program = join(import.meta.dirname, "testing", "agent.ts");
    const agent = spawn(process.execPath, ["--conditions=kedge-source", program, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [runc] = (await once(agent.stdout, "data")) as [Buffer];
    agent.kill("SIGKILL");
    await once(agent, "close");
    // Containers outlive the agent.
    const processes = (): string => tracesOnMachine(words).processes.join("\n");
    await expect.poll(processes).toContain("sleep 87654");
    // Somebody looks at what lies there, which makes them none of ours.
    const looking = spawn("tail", ["-F", join(folder, "runtime/containers/any/config.json")], {
      stdio: "ignore",
    });
    const programs = { runc: runc.toString().trim() };
    const cgroupParent = basename(folder);
    await cleanUp({
      folder: join(folder, "runtime"),
      programs,
      clock: realClock,
      logger: silentLogger,
      cgroupParent,
    });
    expect([looking.exitCode, looking.signalCode]).toEqual([null, null]);
    looking.kill();
    await once(looking, "close");
    expect(tracesOnMachine(words)).toEqual(before);
    expect(await readdir(join(folder, "runtime"))).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
