import { seededRandom } from "@kedge/machinery";
import { redisOperator } from "@kedge/redis-operator";
import type { TestOperator } from "@kedge/testkit";

/** The Redis operator. Each life has passwords of its own: another one is never by chance the same. */
export const seededRedisOperator: TestOperator = {
  ...redisOperator(),
  controllers: ({ number }) =>
    redisOperator({ secretRandom: seededRandom(`secrets ${number}`) }).controllers(),
};
