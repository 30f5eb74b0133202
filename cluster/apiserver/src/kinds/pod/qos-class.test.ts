import { expect, test } from "vitest";
import { qosClass } from "./qos-class.ts";

const both = { cpu: "1", memory: "1Gi" };

test.each([
  ["nothing", [{}], "BestEffort"],
  ["a request", [{ requests: { cpu: "1" } }], "Burstable"],
  [
    "equal requests and limits",
    [{ requests: both, limits: { cpu: "1000m", memory: "1024Mi" } }],
    "Guaranteed",
  ],
  ["limits of one resource only", [{ requests: { cpu: "1" }, limits: { cpu: "1" } }], "Burstable"],
  ["one container without limits", [{ requests: both, limits: both }, {}], "Burstable"],
  ["less requested than allowed", [{ requests: { ...both, cpu: "500m" }, limits: both }], "Burstable"],
  ["other resources only", [{ requests: { "example.com/gpu": "1" } }], "BestEffort"],
])("%s", (_name, resources, expected) => {
  expect(qosClass({ containers: resources.map((each) => ({ resources: each })) })).toBe(expected);
});
