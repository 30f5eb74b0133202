import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { deleteAtMoments } from "./testing/deletion-moments.ts";
import { seededRedisOperator } from "./testing/operators.ts";

it("an instance that is deleted while it is made leaves what its policy says, and nothing else", async () => {
  await using env = await startTestEnv({ operators: [seededRedisOperator] });
  expect(await deleteAtMoments(env, 10, 1)).toEqual([]);
}, 600_000);
