import { readFile } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";

/** What a terminal is made with. */
export interface TerminalOptions {
  /** The terminal's name is written here by the command's shell. */
  readonly file: string;
  readonly script: string;
  readonly stty: string;
  readonly clock: Clock;
}

/** A pseudo-terminal around a command that wants one. */
export interface Terminal {
  /** The command line that runs `command` on a terminal. */
  around(command: readonly string[]): readonly string[];
  /** Tells the command the terminal's new size. */
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
}

/**
 * Node cannot make a pseudo-terminal, and runc hands one over only by passing a file descriptor. So `script` makes one,
 * runc runs on it and copies between it and the container's own terminal, its size included: `stty` on ours is felt in
 * the container.
 */
export function createTerminal({ file, script, stty, clock }: TerminalOptions): Terminal {
  return {
    around: (command) => {
      const line = `tty >${quoted(file)}; stty raw -echo; exec ${command.map(quoted).join(" ")}`;
      return [script, "--quiet", "--return", "--flush", "--echo", "never", "--command", line, "/dev/null"];
    },
    async resize({ columns, rows }) {
      const device = await nameOf(file, clock);
      if (device === undefined) return;
      const args = ["-F", device, "cols", String(columns), "rows", String(rows)];
      // The command may end in between, and its terminal with it.
      await runProgram(stty, args, { clock, timeoutMs: 5000, mayFail: true });
    },
  };
}

/** The shell writes it within milliseconds of its start. */
async function nameOf(file: string, clock: Clock): Promise<string | undefined> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.endsWith("\n")) return text.startsWith("/dev/") ? text.trim() : undefined;
    await clock.sleep(10);
  }
  return undefined;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
