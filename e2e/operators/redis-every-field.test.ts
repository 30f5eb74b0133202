import { startTestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { fuzz, makeNeighbour, setEachField } from "./testing/field-play.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { specLeaves } from "./testing/spec-leaves.ts";

/** Kubernetes' own types, of which pods are made: a few of their leaves here, all in `kedge test sim`. */
const ofKubernetes = /^(?:placement|resources|metrics\.resources|networkPolicy\.clients)\b/u;

describe("every field of a RedisInstance", () => {
  it("can be set and set back, and its neighbour does not notice", async ({ annotate }) => {
    await using env = await startTestEnv({ operators: [seededRedisOperator] });
    const neighbour = await makeNeighbour(env);
    const before = await neighbour();
    const leaves = specLeaves();
    const chosen = leaves.filter(({ path }, index) => !ofKubernetes.test(path) || index % 40 === 0);
    const { done, invalid, problems } = await setEachField(env, chosen);
    await annotate(
      `${done.length} of ${leaves.length} leaves set and set back, ${invalid.length} refused by the schema: ${invalid.join(", ")}`,
      "count",
    );
    expect(problems).toEqual([]);
    expect(invalid).toEqual([]);
    expect(await neighbour()).toBe(before);
  }, 600_000);

  it("may have any value: the operator goes on, and so does its neighbour", async ({ annotate }) => {
    await using env = await startTestEnv({ operators: [seededRedisOperator] });
    const neighbour = await makeNeighbour(env);
    const before = await neighbour();
    const { taken, problems } = await fuzz(env, specLeaves(), 12, 1);
    expect(problems).toEqual([]);
    await annotate(`${taken} of 12 specs taken`, "count");
    expect(await neighbour()).toBe(before);
  }, 600_000);
});
