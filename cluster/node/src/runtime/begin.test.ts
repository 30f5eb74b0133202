import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { begin } from "./begin.ts";
import { identify, type ProcessIdentity } from "./processes.ts";

let pipe: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-begin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  pipe = join(folder, "exec.fifo");
  execFileSync("mkfifo", [pipe]);
});

/** Stands for runc's process in the container: writes when somebody reads, and goes on. */
function waiting(script = 'printf 0 > "$1"; echo runs'): { child: ChildProcess; process: ProcessIdentity } {
  const child = spawn("/bin/sh", ["-c", script, "sh", pipe], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const process = identify(child.pid ?? 0);
  if (process === undefined) throw new Error("it has ended");
  return { child, process };
}

it("lets a container run that waits for it, also one that ends at once", async () => {
  const { child, process } = waiting();
  const said = once(child.stdout ?? child, "data");
  await begin({ id: "c1", pipe, process }, realClock);
  expect(String((await said)[0])).toBe("runs\n");
  expect(existsSync(pipe)).toBe(false);
});

it("does not wait for one that has died", async () => {
  const { child, process } = waiting("exec sleep 60");
  child.kill("SIGKILL");
  await once(child, "exit");
  await expect(begin({ id: "c1", pipe, process }, realClock)).rejects.toThrow(
    "container c1: its process has ended before it was started",
  );
});

it("starts none twice", async () => {
  const { process } = waiting("exec sleep 60");
  rmSync(pipe);
  await expect(begin({ id: "c1", pipe, process }, realClock)).rejects.toThrow(
    "it does not wait to be started",
  );
});
