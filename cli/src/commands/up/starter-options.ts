import type { UpFlags } from "./flags.ts";

/** What the process that carries out a start is told, as JSON in its first argument. */
export interface StarterOptions {
  readonly flags: UpFlags;
  /** Whether it runs without a terminal (`--detach`): then Ctrl-C is not what stops it. */
  readonly background: boolean;
}

/** Reads what the supervisor has written. */
export function parseStarterOptions(text: string): StarterOptions {
  const options: unknown = JSON.parse(text);
  if (!isStarterOptions(options)) throw new Error(`not the options of a start: ${text}`);
  return options;
}

function isStarterOptions(value: unknown): value is StarterOptions {
  return typeof value === "object" && value !== null && "flags" in value && "background" in value;
}
