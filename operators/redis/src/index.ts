export { redisOperator, type RedisOperatorOptions } from "./operator.ts";
export { RedisInstance } from "./kind.ts";
export { clientCommand } from "./specs/client-script.ts";
export { serveSentinel, type SentinelOptions } from "./sentinel/serve-sentinel.ts";
export { replicationOf, type Replication } from "./primary-of.ts";
export { restartAnnotation, switchoverAnnotation } from "./names.ts";
export { serverFacts, type ServerFacts } from "./engine/server-facts.ts";
export { redisGauges } from "./gauges.ts";
