import type { UpgradeHandler } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import type { CommandOutput, CommandSession } from "./command-session.ts";
import { openExec } from "./exec.ts";
import type { StreamRequest } from "./open-message-stream.ts";

/** What to run to its end. */
export interface ExecToEndOptions {
  /** Program and arguments. There is no shell unless you name one. */
  readonly command: readonly string[];
  /** The pod's only container, or its default one, unless named. */
  readonly container?: string | undefined;
  /** All that the command reads. */
  readonly stdin?: string | Uint8Array | undefined;
  /** More than this of stdout or of stderr is a failure, not a cut text. Default: 1 MiB. */
  readonly maxOutputBytes?: number | undefined;
}

/** What a command has written, as text, and how it ended. */
export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a container to its end. A code other than 0 is a result, not a failure. */
export async function execToEnd(
  upgrade: UpgradeHandler,
  request: StreamRequest,
  options: ExecToEndOptions,
): Promise<ExecResult> {
  const { command, container, stdin, maxOutputBytes = 1 << 20 } = options;
  const session = await openExec(upgrade, request, { command, container, stdin: stdin !== undefined });
  try {
    const [stdout, stderr] = await Promise.all([
      collect(session.stdout, "stdout", maxOutputBytes),
      collect(session.stderr, "stderr", maxOutputBytes),
      stdin === undefined ? undefined : feed(session, stdin),
    ]);
    return { ...(await session.exit), stdout, stderr };
  } finally {
    await session.close();
  }
}

async function collect(output: CommandOutput, name: string, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of output) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooMuch(name, maxBytes);
  }
  return Buffer.concat(chunks).toString();
}

function tooMuch(name: string, maxBytes: number): ClientError {
  return new ClientError("TOO_LARGE", `exec: the command wrote more than ${maxBytes} bytes to ${name}`, {
    hint: "raise maxOutputBytes, or read the output as a stream",
  });
}

async function feed(session: CommandSession, stdin: string | Uint8Array): Promise<void> {
  try {
    await session.stdin.write(stdin);
    await session.stdin.end();
  } catch (error) {
    // A command may end without reading all its input: its exit tells how it went.
    if (error instanceof ClientError && error.code === "CONNECTION_LOST") return;
    throw error;
  }
}
