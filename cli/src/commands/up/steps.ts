import type { Clock } from "@kedge/machinery";
import type { Terminal } from "../../terminal/terminal.ts";

/** Steps that are shown while they run, and with the time they took. */
export interface Steps {
  run<T>(name: string, detail: string, step: () => Promise<T>): Promise<T>;
  /** The time since the beginning, for people. */
  total(): string;
}

/** Steps on a terminal. */
export function createSteps(terminal: Terminal, clock: Clock): Steps {
  const began = clock.monotonic();
  const since = (moment: number): string => `${((clock.monotonic() - moment) / 1000).toFixed(1)} s`;
  return {
    async run(name, detail, step) {
      const started = clock.monotonic();
      terminal.waitFor(`starting ${name}`);
      const result = await step();
      terminal.print(
        `${terminal.style("green", "✓")} ${name.padEnd(14)} ${detail.padEnd(26)} ${terminal.style("dim", since(started))}\n`,
      );
      return result;
    },
    total: () => since(began),
  };
}
