import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { terminalOn } from "../../terminal/terminal.ts";
import { createSteps, type Steps } from "./steps.ts";

function start(): { steps: Steps; clock: VirtualClock; printed: () => string } {
  const clock = new VirtualClock();
  const written: string[] = [];
  const stdout = {
    isTTY: false,
    columns: 80,
    hasColors: () => false,
    write: (text: string) => written.push(text),
  };
  const steps = createSteps({
    terminal: terminalOn({ stdout, env: {} }, clock),
    clock,
  });
  return { steps, clock, printed: () => written.join("") };
}

it("says what was done, and how long it took", async () => {
  const { steps, clock, printed } = start();
  const server = steps.run("API server", "https://127.0.0.1:6443", () => clock.sleep(1234));
  await clock.runUntil(server);
  await clock.runUntil(steps.quietly("looking", () => clock.sleep(500)));
  await clock.runUntil(steps.run("node", "kedge", () => clock.sleep(300)));
  expect(printed()).toBe(
    "✓ API server     https://127.0.0.1:6443     1.2 s\n✓ node           kedge                      0.3 s\n",
  );
  expect(steps.total()).toBe("2.0 s");
});

it("says beside them what is no step here", () => {
  const { steps, printed } = start();
  steps.say("RedisInstance", "default/sample", "not waited for");
  expect(printed()).toBe("! RedisInstance  default/sample             not waited for\n");
});

it("does not print a step that failed", async () => {
  const { steps, printed } = start();
  await expect(steps.run("node", "kedge", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(printed()).toBe("");
});
