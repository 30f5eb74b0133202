export { redisOperator, type RedisOperatorOptions } from "./operator.ts";
export { RedisInstance } from "./kind.ts";
export { clientCommand } from "./specs/client-script.ts";
export { serveSentinel, type SentinelOptions } from "./sentinel/serve-sentinel.ts";
