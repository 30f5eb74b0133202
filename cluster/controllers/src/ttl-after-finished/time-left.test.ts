import { describe, expect, it } from "vitest";
import { ago, now } from "../testing/builders.ts";
import { job } from "../testing/job-builders.ts";
import { timeLeft } from "./time-left.ts";

describe("how long a finished job is kept", () => {
  const ended = (type: string, status = "True") => ({
    conditions: [{ type, status, lastTransitionTime: ago(40) }],
  });
  it.each([
    ["for the time that is left", { ttlSecondsAfterFinished: 100 }, ended("Complete"), 60_000],
    ["no longer when the time is over", { ttlSecondsAfterFinished: 30 }, ended("Failed"), 0],
    ["not at all", { ttlSecondsAfterFinished: 0 }, ended("Complete"), 0],
    ["for good when it does not say", {}, ended("Complete"), undefined],
    [
      "for good while it is not finished",
      { ttlSecondsAfterFinished: 0 },
      ended("Complete", "False"),
      undefined,
    ],
    [
      "for good while it only is about to end",
      { ttlSecondsAfterFinished: 0 },
      ended("FailureTarget"),
      undefined,
    ],
  ])("%s", (_name, spec, status, expected) => {
    expect(timeLeft(job(spec, status), now)).toBe(expected);
  });
  it("is nobody's question when it goes already", () => {
    const going = job({ ttlSecondsAfterFinished: 0 }, ended("Complete"));
    going.metadata.deletionTimestamp = ago(0);
    expect(timeLeft(going, now)).toBeUndefined();
  });
});
