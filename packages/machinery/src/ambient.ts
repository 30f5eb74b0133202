import { deadlineOn, sleepOn } from "./time/clock-waits.ts";
import type { Clock, Timer } from "./time/clock.ts";
import { randomFrom, type Random, type RandomWord } from "./random.ts";

/** The machine's own time. A sleep keeps the process alive, a deadline does not. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer: (ms, callback) => startTimer(ms, callback, "keep alive"),
  sleep: (ms, signal) => sleepOn((...timer) => startTimer(...timer, "keep alive"), ms, signal),
  deadline: (ms, parent) => deadlineOn((...timer) => startTimer(...timer, "let exit"), ms, parent),
  track: (work) => work,
};

/** The machine's own randomness, fit for secrets. */
export const realRandom: Random = {
  ...randomFrom(wordsInAdvance(64)),
  uuid: () => crypto.randomUUID(),
};

/** Words from the machine, several at a time: each call to it takes a microsecond or two. */
function wordsInAdvance(count: number): RandomWord {
  const words = new Uint32Array(count);
  let next = count;
  return () => {
    if (next === count) {
      crypto.getRandomValues(words);
      next = 0;
    }
    const word = words[next] ?? 0;
    // What was handed out may be a secret.
    words[next++] = 0;
    return word;
  };
}

/** Lets the event loop turn once, so that finished I/O is delivered. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** `setTimeout` takes a signed 32-bit number of milliseconds (24.8 days) and fires at once beyond it. */
const longestTimeout = 2 ** 31 - 1;

function startTimer(ms: number, callback: () => void, process: "keep alive" | "let exit"): Timer {
  const due = performance.now() + ms;
  let handle: NodeJS.Timeout | undefined;
  const arm = (remaining: number): void => {
    handle = setTimeout(fire, Math.min(Math.max(Math.ceil(remaining), 0), longestTimeout));
    if (process === "let exit") handle.unref();
  };
  const fire = (): void => {
    const remaining = due - performance.now();
    // Node's timers may fire a fraction of a millisecond early: whoever measures must not see that.
    if (remaining > 0) arm(remaining);
    else callback();
  };
  arm(ms);
  return { cancel: () => clearTimeout(handle) };
}
