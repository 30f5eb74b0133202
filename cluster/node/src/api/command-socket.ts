import type { Readable, Writable } from "node:stream";
import type { WebSocket } from "ws";
import { bytesOf, channel, send } from "./channels.ts";

/** A command whose streams go over a WebSocket. */
export interface SocketCommand {
  /** Undefined: not wanted, or not possible. */
  readonly stdin: Writable | undefined;
  readonly stdout: AsyncIterable<Buffer> | Readable | undefined;
  readonly stderr: AsyncIterable<Buffer> | Readable | undefined;
  /** Undefined for what has no code of its own. Rejects when it could not be run at all. */
  readonly exit: Promise<{ readonly exitCode: number } | undefined>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  /** The other side has gone. */
  cancel(): void;
}

/** Leads a command's streams over a paused WebSocket and ends it with the command's status. */
export async function serveCommand(socket: WebSocket, command: SocketCommand): Promise<void> {
  const canEndStdin = socket.protocol.startsWith("v5.");
  socket.on("message", (message: Buffer | ArrayBuffer | Buffer[]) => {
    receive(bytesOf(message), command, canEndStdin);
  });
  socket.once("close", () => command.cancel());
  socket.once("error", () => command.cancel());
  socket.resume();
  const copies = Promise.all([
    copy(socket, channel.stdout, command.stdout),
    copy(socket, channel.stderr, command.stderr),
  ]);
  const status = await command.exit.then(exitStatus, failureStatus);
  await copies.catch(() => undefined);
  await send(socket, channel.status, Buffer.from(JSON.stringify(status))).catch(() => undefined);
  socket.close(1000);
}

function receive(message: Buffer, command: SocketCommand, canEndStdin: boolean): void {
  const [to] = message;
  const data = message.subarray(1);
  if (to === channel.stdin) {
    if (data.length > 0) command.stdin?.write(data);
  } else if (to === channel.resize) {
    const size = sizeIn(data);
    if (size !== undefined) command.resize(size).catch(() => undefined); // A size that comes too late is no loss.
  } else if (to === channel.close && canEndStdin && data[0] === channel.stdin) {
    command.stdin?.end();
  }
}

function sizeIn(data: Buffer): { readonly columns: number; readonly rows: number } | undefined {
  try {
    const size: unknown = JSON.parse(data.toString("utf8"));
    if (typeof size !== "object" || size === null || !("Width" in size) || !("Height" in size))
      return undefined;
    const { Width: columns, Height: rows } = size;
    return typeof columns === "number" && typeof rows === "number" ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

async function copy(socket: WebSocket, to: number, from: SocketCommand["stdout"]): Promise<void> {
  if (from === undefined) return;
  for await (const chunk of from) {
    await send(socket, to, Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  }
}

/** How the kubelet tells an exit code. */
function exitStatus(exit: { readonly exitCode: number } | undefined): object {
  if (exit === undefined || exit.exitCode === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${exit.exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exit.exitCode) }] },
  };
}

function failureStatus(error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  return { metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 };
}
