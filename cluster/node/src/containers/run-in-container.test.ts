import { PassThrough } from "node:stream";
import { realClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../simulated/simulated-runtime.ts";
import { runInContainer } from "./run-in-container.ts";

/** A command that never ends, not even when it is killed, and whose output nobody closes. */
function endless() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let kills = 0;
  return {
    ...streams,
    exit: new Promise<never>(() => undefined),
    resize: () => Promise.resolve(),
    kill: () => {
      kills += 1;
    },
    killed: () => kills,
    isOpen: () => Object.values(streams).some(({ destroyed }) => !destroyed),
  };
}

it.each(["while the command is made", "while it runs"])(
  "a deadline %s ends it and its streams",
  async (when) => {
    const process = endless();
    const stop = new AbortController();
    const runtime = {
      ...createSimulatedRuntime({ clock: realClock }),
      exec: () => {
        if (when === "while the command is made") stop.abort();
        else queueMicrotask(() => queueMicrotask(() => stop.abort()));
        return Promise.resolve(process);
      },
    };
    const run = runInContainer({ clock: realClock, runtime, signal: stop.signal }, "one", ["sleep", "1000"]);
    await expect(run).rejects.toThrow('"sleep 1000" timed out');
    expect(process.killed()).toBe(1);
    expect(process.isOpen()).toBe(false);
  },
);

it("what a command says without end is cut", async () => {
  const process = endless();
  const runtime = {
    ...createSimulatedRuntime({ clock: realClock }),
    exec: () => Promise.resolve({ ...process, exit: Promise.resolve({ exitCode: 1 }) }),
  };
  process.stdout.end("x".repeat(1_000_000));
  process.stderr.end("y".repeat(1_000_000));
  const { signal } = new AbortController();
  const { output } = await runInContainer({ clock: realClock, runtime, signal }, "one", ["yes"]);
  expect(output.length).toBe(20 * 1024);
});
