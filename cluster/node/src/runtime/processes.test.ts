import { expect, test } from "vitest";
import { identify, isAlive } from "./processes.ts";

test("a process is itself, but not one of the same number and start after the machine was started anew", () => {
  const own = identify(process.pid);
  if (own === undefined) throw new Error("this process does not run");
  const { pid, startTicks } = own;
  expect(isAlive(own)).toBe(true);
  // As records of older versions are.
  expect(isAlive({ pid, startTicks })).toBe(true);
  expect(isAlive({ ...own, boot: "another" })).toBe(false);
  expect(isAlive({ ...own, startTicks: startTicks + 1 })).toBe(false);
});
