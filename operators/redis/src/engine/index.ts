export { RedisFailure, replyFailure } from "./failure.ts";
export type { Address, CallOptions, Command, Engine, Login, RedisServer, Reply } from "./types.ts";
