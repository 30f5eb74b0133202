import { LeadershipError } from "@kedge/runtime";
import { expect, it } from "vitest";
import { runLeading } from "./run-leading.ts";

const fails = (error: Error) => ({
  run: async (): Promise<void> => {
    throw error;
  },
});
const ends = { run: async (): Promise<void> => undefined };
const election = { namespace: "kube-system", name: "kube-scheduler", identity: "one" };
const lost = new LeadershipError("LOST", election);
const { signal } = new AbortController();

it("goes on with another manager when one no longer leads", async () => {
  const others = [fails(lost), ends];
  await runLeading(fails(lost), () => others.shift() ?? fails(new Error("one too many")), signal);
  expect(others).toEqual([]);
});

it("fails for any other reason, and does not go on when it is told to stop", async () => {
  const never = () => fails(new Error("another was made"));
  await expect(runLeading(fails(new Error("broken")), never, signal)).rejects.toThrow("broken");
  await expect(runLeading(fails(lost), never, AbortSignal.abort())).rejects.toBe(lost);
});
