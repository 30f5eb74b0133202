import { expect, it } from "vitest";
import { inBackground } from "./in-background.ts";

it("tells of a failure, and of nothing else", async () => {
  const told: unknown[] = [];
  const failure = new Error("no");
  inBackground(Promise.resolve(1), (error) => told.push(error));
  inBackground(Promise.reject(failure), (error) => told.push(error));
  await expect.poll(() => told).toEqual([failure]);
});

it("swallows the failure of a report: an unhandled one would end the process, and fails this run", async () => {
  const reported = Promise.withResolvers<void>();
  inBackground(Promise.reject(new Error("no")), () => {
    reported.resolve();
    throw new Error("the disk is full");
  });
  await expect(reported.promise).resolves.toBeUndefined();
});
