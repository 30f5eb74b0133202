export { redisControllers, type RedisControllerOptions } from "./controllers.ts";
export { RedisInstance, redisKinds } from "./kind.ts";
export { clientCommand } from "./specs/client-script.ts";
