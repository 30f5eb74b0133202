import { seededRandom } from "@kedge/machinery";
import { redisOperator } from "@kedge/redis-operator";
import { RedisFailure, type Engine } from "@kedge/redis-operator/engine";
import type { TestOperator } from "@kedge/testkit";

/** Nobody answers: pods are simulated here, and have no Redis. */
const silentEngine: Engine = {
  server: (address) => ({
    address,
    call: () => Promise.reject(new RedisFailure("UNREACHABLE", `${address.host}: nobody is there`)),
    onLost: () => undefined,
    [Symbol.dispose]: () => undefined,
  }),
};

/** The Redis operator. Each life has passwords of its own: another one is never by chance the same. */
export const seededRedisOperator: TestOperator = {
  ...redisOperator(),
  controllers: ({ number }) =>
    redisOperator({
      secretRandom: seededRandom(`secrets ${number}`),
      engine: () => silentEngine,
    }).controllers(),
};
