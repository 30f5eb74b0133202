import { realClock, type Clock } from "@kedge/machinery";
import { expect, test } from "vitest";
import { runExecCommand } from "./exec-command.ts";
import { isRunning } from "./testing/is-running.ts";
import { tempFolder } from "./testing/temp-folder.ts";

const command = (script: string) => ({
  command: "/bin/sh",
  args: ["-c", script],
  env: { PATH: "/usr/bin:/bin" },
  interactive: false,
});

/** The machine's clock with all timers cut short. */
const hurried: Clock = { ...realClock, timer: (ms, callback) => realClock.timer(Math.min(ms, 20), callback) };

test("a command that does not listen to SIGTERM is killed", async () => {
  const folder = await tempFolder();
  const controller = new AbortController();
  const script = `trap '' TERM; echo $$ > '${folder.path("pid")}'; while :; do sleep 1; done`;
  const running = runExecCommand(command(script), hurried, controller.signal);
  await expect.poll(() => folder.lines("pid")).toHaveLength(1);
  controller.abort();
  expect(await running).toMatchObject({ how: "stopped" });
  const [pid = ""] = await folder.lines("pid");
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
});

test("a command whose caller has gone already is stopped at once", async () => {
  expect(await runExecCommand(command("sleep 600"), hurried, AbortSignal.abort())).toMatchObject({
    how: "stopped",
  });
});

test("output keeps its characters, however the pipe cuts it", async () => {
  const script = `printf '\\303'; sleep 0.05; printf '\\244'; printf 'g\\303\\266' >&2`;
  const end = await runExecCommand(command(script), realClock, new AbortController().signal);
  expect(end).toEqual({ how: "exited", code: 0, stdout: "ä", stderr: "gö" });
});

test("a running command is announced to the clock", async () => {
  const tracked: Promise<unknown>[] = [];
  const track: Clock["track"] = (work) => {
    tracked.push(work);
    return work;
  };
  const end = await runExecCommand(command(":"), { ...realClock, track }, new AbortController().signal);
  expect(await Promise.all(tracked)).toEqual([end]);
});
