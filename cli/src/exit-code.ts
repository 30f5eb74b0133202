import { ExitCode } from "@stricli/core";

/** What scripts get: 0 it worked, 1 it did not, 2 the command line was wrong. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Turns the argument parser's own codes, which are negative, into the three that we promise. */
export function exitCodeFor(code: number | string | null | undefined): number {
  if (code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument) return exitCodes.usage;
  const number = Number(code ?? exitCodes.ok);
  return number < 0 ? exitCodes.failed : number;
}
