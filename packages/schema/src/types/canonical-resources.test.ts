import { describe, expect, it } from "vitest";
import { canonicalResources } from "../index.ts";

describe("resources of a custom resource", () => {
  it("become what built-in kinds keep", () => {
    const resources = {
      limits: { cpu: 1, memory: "1024Mi" },
      requests: { cpu: "1000m", memory: "0.5Gi" },
      claims: [{ name: "gpu" }],
    };
    expect(canonicalResources(resources)).toEqual({
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "1", memory: "512Mi" },
      claims: [{ name: "gpu" }],
    });
    expect(canonicalResources({})).toEqual({});
  });
});
