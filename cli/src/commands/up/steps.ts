import type { Clock } from "@kedge/machinery";
import type { Terminal } from "../../terminal/terminal.ts";

/** Steps that are shown while they run, and with the time they took. */
export interface Steps {
  /** Rejects as soon as the signal aborts, whatever the step is waiting for. */
  run<T>(name: string, detail: string, step: () => Promise<T>): Promise<T>;
  /** The same for what is not worth a line of its own. */
  quietly<T>(what: string, step: () => Promise<T>): Promise<T>;
  /** The time since the beginning, for people. */
  total(): string;
}

/** What steps need. */
export interface StepsOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Steps on a terminal. */
export function createSteps({ terminal, clock, signal }: StepsOptions): Steps {
  const began = clock.monotonic();
  const since = (moment: number): string => `${((clock.monotonic() - moment) / 1000).toFixed(1)} s`;
  const quietly: Steps["quietly"] = async (what, step) => {
    signal.throwIfAborted();
    terminal.waitFor(what);
    return await orAborted(step(), signal);
  };
  return {
    async run(name, detail, step) {
      const started = clock.monotonic();
      const result = await quietly(`starting ${name}`, step);
      const [done, time] = [terminal.style("green", "✓"), terminal.style("dim", since(started))];
      terminal.print(`${done} ${name.padEnd(14)} ${detail.padEnd(26)} ${time}\n`);
      return result;
    },
    quietly,
    total: () => since(began),
  };
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
