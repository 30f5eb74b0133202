import type { CommandSession } from "@kedge/client";
import { inBackground } from "@kedge/machinery";
import type { CommandInput } from "../../context.ts";

/** Where a session reads and writes. */
export interface Console {
  readonly stdin: CommandInput;
  readonly stdout: { write(data: Uint8Array): unknown; readonly columns?: number; readonly rows?: number };
  readonly stderr: { write(data: Uint8Array): unknown };
}

/**
 * Joins a running command to the user's own streams until it ends, and gives its exit code. On a terminal each key goes
 * to the command as it is typed, Ctrl-C too, and the command's terminal has the size of the user's.
 */
export async function joinConsole(
  session: CommandSession,
  { stdin, stdout, stderr }: Console,
  isTerminal: boolean,
): Promise<number> {
  const resize = (): void => {
    // A terminal that does not know its size says 0, and redis-cli would ask it and wait for an answer.
    const { columns = 0, rows = 0 } = stdout;
    inBackground(session.resize(columns > 0 ? columns : 80, rows > 0 ? rows : 24), () => undefined);
  };
  if (isTerminal) {
    stdin.setRawMode?.(true);
    resize();
    process.on("SIGWINCH", resize);
  }
  const feed = async (): Promise<void> => {
    for await (const chunk of stdin) await session.stdin.write(chunk);
    await session.stdin.end();
  };
  // What cannot be written any more is no failure: the command has ended.
  inBackground(feed(), () => undefined);
  try {
    await Promise.all([copy(session.stdout, stdout), isTerminal ? undefined : copy(session.stderr, stderr)]);
    const { code } = await session.exit;
    return code;
  } finally {
    if (isTerminal) {
      process.off("SIGWINCH", resize);
      stdin.setRawMode?.(false);
    }
    stdin.destroy();
    await session.close();
  }
}

async function copy(
  from: AsyncIterable<Uint8Array>,
  to: { write(data: Uint8Array): unknown },
): Promise<void> {
  for await (const chunk of from) to.write(chunk);
}
