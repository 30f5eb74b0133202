import type { Clock } from "@kedge/machinery";
import type { Terminal } from "../../terminal/terminal.ts";

/** Steps that are shown while they run, and with the time they took. */
export interface Steps {
  run<T>(name: string, detail: string, step: () => Promise<T>): Promise<T>;
  /** The same for what is not worth a line of its own. */
  quietly<T>(what: string, step: () => Promise<T>): Promise<T>;
  /** A line beside them, for what is no step here. */
  say(name: string, detail: string, why: string): void;
  /** The time since the beginning, for people. */
  total(): string;
}

/** What steps need. */
export interface StepsOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/** Steps on a terminal. */
export function createSteps({ terminal, clock }: StepsOptions): Steps {
  const began = clock.monotonic();
  const since = (moment: number): string => `${((clock.monotonic() - moment) / 1000).toFixed(1)} s`;
  const quietly: Steps["quietly"] = async (what, step) => {
    terminal.waitFor(what);
    return await step();
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
    say(name, detail, why) {
      terminal.print(`${terminal.style("yellow", "!")} ${name.padEnd(14)} ${detail.padEnd(26)} ${why}\n`);
    },
    total: () => since(began),
  };
}
