import type { Terminal } from "../../terminal/terminal.ts";
import type { Tally } from "./tally.ts";

/** A finished suite: what to print about it in one line. */
export interface FinishedSuite {
  readonly name: string;
  /** What was counted, for example "12 tests"; empty where one line is one test. */
  readonly detail: string;
  readonly tally: Tally;
  readonly ms: number;
  /** What its tests have counted besides themselves; may be empty. */
  readonly counts?: string;
}

/** One line: the mark, the name, how many tests, the time, and what they counted. */
export function suiteLine({ name, detail, tally, ms, counts }: FinishedSuite, terminal: Terminal): string {
  const text = `${name.padEnd(28)} ${detail.padStart(12)} ${seconds(ms).padStart(8)}`;
  return `  ${mark(tally, terminal)} ${text}${counts === undefined || counts === "" ? "" : `  ${counts}`}\n`;
}

function mark({ passed, failed, skipped }: Tally, terminal: Terminal): string {
  if (failed.length > 0) return terminal.style("red", "✗");
  return passed === 0 && skipped.length > 0 ? terminal.style("yellow", "–") : terminal.style("green", "✓");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}
