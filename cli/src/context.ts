import type { CommandContext, StricliProcess } from "@stricli/core";
import type { OutputStream } from "./terminal/terminal.ts";

/** What every command gets. */
export interface KedgeContext extends CommandContext {
  readonly process: CommandProcess;
  /** Absolute path of the workspace that this command was started from. */
  readonly root: string;
}

/** The part of standard input that commands need. */
export interface CommandInput extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean;
  /** Of a terminal: keys come as they are typed. */
  setRawMode?(on: boolean): unknown;
  destroy(): unknown;
}

/** Where a command prints, and where it leaves its exit code (null: it worked, unless it returned an error). */
export interface CommandProcess extends StricliProcess {
  /** What is typed or piped into the command. */
  readonly stdin?: CommandInput;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  exitCode: number | string | null;
}
