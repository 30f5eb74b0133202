import { expect, test } from "vitest";
import { maximum, maximumRequest, minimum, ratio } from "./limit-constraints.ts";

const asks = (request?: string, limit?: string) => ({
  type: "Container",
  requests: { cpu: request },
  limits: { cpu: limit },
});

test.each([
  ["enough", minimum, "50m", asks("50m", "1"), undefined],
  ["nothing", minimum, "50m", asks(), "minimum cpu usage per Container is 50m.  No request is specified"],
  ["too little", minimum, "50m", asks("10m"), "minimum cpu usage per Container is 50m, but request is 10m"],
  ["a low limit", minimum, "2", asks("2", "1"), "minimum cpu usage per Container is 2, but limit is 1"],
  ["little", maximum, "1", asks("100m", "1000m"), undefined],
  ["no limit", maximum, "1", asks("100m"), "maximum cpu usage per Container is 1.  No limit is specified"],
  ["too much", maximum, "1", asks("1", "2"), "maximum cpu usage per Container is 1, but limit is 2"],
  ["a large claim", maximumRequest, "1", asks("2"), "maximum cpu usage per Container is 1, but request is 2"],
  ["twice", ratio, "2", asks("1", "2"), undefined],
  [
    "three times",
    ratio,
    "2",
    asks("100m", "300m"),
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
  [
    "something for nothing",
    ratio,
    "2",
    asks("0", "1"),
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
])("%s", (_, constraint, enforced, of, answer) => {
  expect(constraint("cpu", enforced, of)).toBe(answer);
});
