import type { Client } from "@kedge/client";
import { messageOf, type Clock } from "@kedge/machinery";

/** What all that goes on during a soak works with. */
export interface Churn {
  readonly client: Client;
  readonly clock: Clock;
  /** Aborts when it is time to come to an end. */
  readonly signal: AbortSignal;
  /** Told what should not have happened. */
  readonly onProblem: (what: string) => void;
}

/** Longer than anything takes on a busy machine whose parts are killed again and again. */
const patience = 240_000;

/** Waits for a condition. Asking may fail meanwhile: parts are being killed. */
export async function until(
  { clock }: Pick<Churn, "clock">,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const limit = clock.monotonic() + patience;
  let last = "";
  for (;;) {
    try {
      if (await isSo()) return;
      last = "";
    } catch (error) {
      last = ` (last: ${messageOf(error)})`;
    }
    if (clock.monotonic() > limit) throw new Error(`${what}: not within ${patience / 1000} s${last}`);
    await clock.sleep(200);
  }
}

/** Does something again and again until the end; a problem of one round is told, and the next one goes on. */
export async function repeat(churn: Churn, round: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; !churn.signal.aborted; index++) {
    try {
      await round(index);
    } catch (error) {
      churn.onProblem(messageOf(error));
    }
  }
}
