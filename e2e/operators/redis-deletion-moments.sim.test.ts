import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { deleteAtMoments } from "./testing/deletion-moments.ts";
import { seededRedisOperator } from "./testing/operators.ts";

it("an instance that is deleted at any of 100 moments leaves what its policy says", async () => {
  await using env = await startTestEnv({ operators: [seededRedisOperator] });
  expect(await deleteAtMoments(env, 100, 2)).toEqual([]);
}, 3_600_000);
