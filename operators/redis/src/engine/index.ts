export { createEngine } from "./engine.ts";
export { RedisFailure, replyFailure } from "./failure.ts";
export { transact } from "./transact.ts";
export type { Address, CallOptions, Command, Engine, Login, RedisServer, Reply } from "./types.ts";
