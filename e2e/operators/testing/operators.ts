import { seededRandom } from "@kedge/machinery";
import { redisOperator } from "@kedge/redis-operator";
import { RedisFailure, type Engine } from "@kedge/redis-operator/engine";
import type { TestOperator } from "@kedge/testkit";
import { RedisModel } from "./redis-model/redis-model.ts";

/** Nobody answers: of an environment whose pods have no Redis. */
const silentEngine: Engine = {
  server: (address) => ({
    address,
    call: () => Promise.reject(new RedisFailure("UNREACHABLE", `${address.host}: nobody is there`)),
    onLost: () => undefined,
    [Symbol.dispose]: () => undefined,
  }),
};

/**
 * The Redis operator. It reaches the model of Redis, where the environment has one. Each life has passwords of its own:
 * another one is never by chance the same.
 */
export const seededRedisOperator: TestOperator = {
  ...redisOperator(),
  controllers: (life) => {
    const { number, programs } = life;
    const engine = programs instanceof RedisModel ? programs.engineFor(life) : silentEngine;
    const secretRandom = seededRandom(`secrets ${number}`);
    return redisOperator({ secretRandom, engine: () => engine }).controllers();
  },
};
