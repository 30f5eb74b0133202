import { expect, it } from "vitest";
import { countPods } from "./count-pods.ts";

it("counts a pod whose container waits for its image again as not ready, though its phase is Running", () => {
  const waiting = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };
  const serving = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  expect(countPods([{ status: waiting }, { status: serving }, {}])).toEqual({ ready: 1, all: 3 });
});
