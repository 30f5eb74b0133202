export { redisControllers, type RedisControllerOptions } from "./controllers.ts";
export { RedisInstance, redisKinds, redisPhases, type RedisPhase } from "./kind.ts";
