import { startTestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { fuzz, makeNeighbour, setEachField } from "./testing/field-play.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { specLeaves } from "./testing/spec-leaves.ts";

const timeout = 3_600_000;

describe("every field of a RedisInstance, with those of Kubernetes' own types", () => {
  it("can be set and set back", { timeout }, async ({ annotate }) => {
    await using env = await startTestEnv({ operators: [seededRedisOperator] });
    const neighbour = await makeNeighbour(env);
    const before = await neighbour();
    const leaves = specLeaves();
    const { done, invalid, problems } = await setEachField(env, leaves);
    await annotate(`${done.length} of ${leaves.length} leaves; not taken: ${invalid.join(", ")}`, "count");
    expect(problems).toEqual([]);
    expect(await neighbour()).toBe(before);
  });

  it("may have any value: 500 specs", { timeout }, async ({ annotate }) => {
    await using env = await startTestEnv({ operators: [seededRedisOperator] });
    const neighbour = await makeNeighbour(env);
    const before = await neighbour();
    const { taken, problems } = await fuzz(env, specLeaves(), 500, 2);
    expect(problems).toEqual([]);
    await annotate(`${taken} of 500 specs taken`, "count");
    expect(await neighbour()).toBe(before);
  });
});
