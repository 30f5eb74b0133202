import { RedisFailure } from "./failure.ts";
import type { Command, RedisServer, Reply } from "./types.ts";

/**
 * Gives all commands at once: nobody else is heard in between, and who is cut off has given all or none. One that fails
 * when it is carried out does not undo the others, as Redis undoes nothing: this throws what the first of them said. So
 * what says that all is done, `seal`, is said after that, and only when none has failed. What cannot be written to the
 * disk is no failure here: the server goes on, and says so.
 */
export async function transact(
  server: RedisServer,
  commands: readonly Command[],
  seal: readonly Command[] = [],
): Promise<void> {
  const replies = await server.call([["MULTI"], ...commands, ["EXEC"]], { timeoutMs: 2000 });
  const done: Reply = replies.at(-1) ?? null;
  if (done instanceof RedisFailure) throw done;
  const results: readonly unknown[] = Array.isArray(done) ? done : [];
  for (const [i, result] of results.entries())
    if (result instanceof RedisFailure && !mayFail(commands[i])) throw result;
  if (seal.length > 0) await transact(server, seal);
}

/** A FAILOVER may have ended by itself. */
function mayFail([name, sub]: Command = []): boolean {
  return sub === "SAVE" || (name === "FAILOVER" && sub === "ABORT");
}
