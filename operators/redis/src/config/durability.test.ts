import { describe, expect, it } from "vitest";
import { instanceOf } from "../testing/builders.ts";
import { confirmingReplicas, durabilityRefusals, electingReplicas } from "./durability.ts";
import { isVolatile } from "./persistence.ts";
import { redisConfig } from "./redis-config.ts";

const base = { config: undefined, authEnabled: true, replicas: 3 } as const;

it("asks so many to confirm and to elect that they always have a server in common", () => {
  for (let servers = 2; servers <= 16; servers++) {
    const replicas = servers - 1;
    expect(confirmingReplicas(servers) + electingReplicas(servers)).toBeGreaterThan(replicas);
    expect(electingReplicas(servers)).toBeLessThanOrEqual(replicas);
  }
});

describe("redis.conf", () => {
  it("of a cache writes nothing to the volume, unless the spec says so", () => {
    expect(isVolatile(redisConfig({ ...base, durability: "cache" }))).toBe(true);
    const config = { appendonly: "yes" };
    expect(isVolatile(redisConfig({ ...base, config, durability: "cache" }))).toBe(false);
  });

  it("of strict waits for the disk and for as many replicas as make most of all servers", () => {
    const lines = redisConfig({ ...base, replicas: 5, durability: "strict" }).split("\n");
    expect(lines).toContain("appendfsync always");
    expect(lines).toContain("min-replicas-to-write 2");
    expect(lines).toContain("min-replicas-max-lag 2");
    expect(lines.filter((line) => line.startsWith("appendfsync"))).toHaveLength(1);
    expect(redisConfig({ ...base, replicas: 1, durability: "strict" })).not.toContain("min-replicas");
  });
});

describe("what would break the promise of strict", () => {
  it.each([
    ["appendonly", "no", "must be yes"],
    ["appendfsync", "everysec", "must be always"],
    ["min-replicas-to-write", "0", "is set by the operator"],
    ["MIN-SLAVES-MAX-LAG", "10", "is set by the operator"],
  ])("is refused: %s %s", (key, value, why) => {
    const { spec } = instanceOf({ durability: "strict", config: { [key]: value } });
    expect(durabilityRefusals(spec)).toMatchObject([{ field: `spec.config["${key}"]` }]);
    expect(durabilityRefusals(spec)[0]?.message).toContain(why);
    expect(durabilityRefusals({ ...spec, durability: "normal" })).toEqual([]);
  });

  it("is not what it has anyway", () => {
    const config = { appendonly: '"yes"', appendfsync: "ALWAYS" };
    expect(durabilityRefusals(instanceOf({ durability: "strict", config }).spec)).toEqual([]);
  });
});
