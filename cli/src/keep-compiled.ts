import { flushCompileCache } from "node:module";
import type { Clock } from "@kedge/machinery";

/** By then a start is over, also on a slow machine, and what it needed has been compiled. */
const afterMs = 10_000;

/**
 * Writes what V8 has compiled to the compile cache, for the next start. Node.js does so when a process ends, but who runs
 * for weeks, or is killed, would leave nothing. Where nothing is new, nothing is written.
 */
export function keepCompiled(clock: Clock): Disposable {
  const timer = clock.timer(afterMs, flushCompileCache);
  return { [Symbol.dispose]: () => timer.cancel() };
}
