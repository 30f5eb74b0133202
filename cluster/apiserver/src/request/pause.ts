import { macrotask, type Clock, type Steps } from "@kedge/machinery";

/** Lets others in, if a request has held the event loop for a while. Between steps that may each be long. */
export type Pause = () => Promise<void>;

/** Milliseconds that a request may go on before others are let in. Small ones never come that far. */
const longestSlice = 10;

/** The pauses of one request. */
export function pausesOn(clock: Clock): Pause {
  let since = clock.monotonic();
  const letOthersIn = async (): Promise<void> => {
    await clock.track(macrotask());
    since = clock.monotonic();
  };
  return () => (clock.monotonic() - since < longestSlice ? noPause : letOthersIn());
}

/** One for all: a write comes by twenty places where it might pause. */
const noPause = Promise.resolve();

/** Does work that comes in steps, with pauses in between. */
export async function inSteps<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}
