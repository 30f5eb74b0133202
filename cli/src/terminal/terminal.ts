import type { Clock, Timer } from "@kedge/machinery";
import { stripVTControlCharacters, styleText } from "node:util";

/** Where a command prints: lines that stay, and one line of progress below them while somebody looks. */
export interface Terminal {
  /** Prints text that ends its own lines, above the progress; without its colours where none are wanted. */
  print(text: string): void;
  /** Shows what is being waited for, with the time passed. Shows nothing where nobody looks (CI, a file, a pipe). */
  waitFor(what: string): void;
  /** Takes the progress away. */
  clear(): void;
  /** Colours text where colours are shown. */
  style(format: Style, text: string): string;
}

type Style = "green" | "red" | "yellow" | "dim" | "bold";

/** The part of a process that a terminal needs. */
export interface TerminalProcess {
  readonly stdout: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The part of a standard stream that commands need. */
export interface OutputStream extends Pick<NodeJS.WriteStream, "isTTY" | "columns" | "hasColors"> {
  write(text: string | Uint8Array): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
const eraseLine = "\r\u001B[2K";

/** A terminal on the process' standard output. */
export function terminalOn({ stdout, env }: TerminalProcess, clock: Clock): Terminal {
  const live = stdout.isTTY && (env["CI"] ?? "") === "" && env["TERM"] !== "dumb";
  const coloured = stdout.isTTY && stdout.hasColors();
  let waiting: { readonly what: string; readonly since: number } | undefined;
  let timer: Timer | undefined;

  const erase = (): void => {
    if (live && waiting !== undefined) stdout.write(eraseLine);
  };
  const draw = (): void => {
    if (!live || waiting === undefined) return;
    const passed = clock.monotonic() - waiting.since;
    const frame = frames[Math.floor(passed / frameMs) % frames.length] ?? "";
    const line = `${frame} ${waiting.what}  ${Math.floor(passed / 1000)}s`;
    stdout.write(`${eraseLine}${line.slice(0, Math.max(0, stdout.columns - 1))}`);
    timer?.cancel();
    timer = clock.timer(frameMs, draw);
  };

  return {
    print: (text) => {
      erase();
      stdout.write(coloured ? text : stripVTControlCharacters(text));
      draw();
    },
    waitFor: (what) => {
      waiting = { what, since: waiting?.since ?? clock.monotonic() };
      draw();
    },
    clear: () => {
      erase();
      waiting = undefined;
      timer?.cancel();
    },
    style: (format, text) => (coloured ? styleText(format, text, { validateStream: false }) : text),
  };
}
