import type { RunHook } from "../pod/hooks.ts";

/** A hook of a simulated container takes its time, and succeeds: nobody is asked, nothing is run. */
export const simulatedHook: RunHook = async ({ clock }, { sleep }, { signal }) => {
  if (sleep !== undefined) await clock.sleep(sleep.seconds * 1000, signal);
};
