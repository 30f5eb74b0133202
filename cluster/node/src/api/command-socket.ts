import type { Readable, Writable } from "node:stream";
import {
  channel,
  decodeFrame,
  decodeResize,
  keepAlive,
  messageOf,
  type Clock,
  type TerminalSize,
} from "@kedge/machinery";
import type { WebSocket } from "ws";
import { bytesOf, send } from "./channels.ts";

/** A command whose streams go over a WebSocket. */
export interface SocketCommand {
  /** Undefined: not wanted, or not possible. */
  readonly stdin: Writable | undefined;
  readonly stdout: AsyncIterable<Buffer> | Readable | undefined;
  readonly stderr: AsyncIterable<Buffer> | Readable | undefined;
  /** Undefined for what has no code of its own. Rejects when it could not be run at all. */
  readonly exit: Promise<{ readonly exitCode: number } | undefined>;
  resize(size: TerminalSize): Promise<void>;
  /** The other side has gone: nothing of the command stays. */
  cancel(): void;
}

/** Starts a command. The signal aborts when the other side has gone. */
export type StartCommand = (signal: AbortSignal) => Promise<SocketCommand>;

/** Starts a command, leads its streams over a paused WebSocket, and ends that with the command's status. Never throws. */
export async function serveCommand(socket: WebSocket, start: StartCommand, clock: Clock): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  // What breaks a WebSocket closes it, too.
  socket.on("error", () => gone.abort());
  if (socket.readyState === socket.CLOSED) gone.abort();
  keepAlive(socket, clock);
  const status = await outcomeOf(socket, start, gone.signal);
  if (gone.signal.aborted) return;
  await send(socket, channel.status, Buffer.from(JSON.stringify(status))).catch(() => undefined);
  socket.close(1000);
  // Its answer to that comes after whatever it has still sent to the command.
  socket.resume();
}

async function outcomeOf(socket: WebSocket, start: StartCommand, gone: AbortSignal): Promise<object> {
  try {
    const command = await start(gone);
    const cancel = (): void => command.cancel();
    gone.addEventListener("abort", cancel, { once: true });
    if (gone.aborted) cancel();
    const receiving = receive(socket, command);
    const [exit] = await Promise.allSettled([
      command.exit,
      copy(socket, channel.stdout, command.stdout),
      copy(socket, channel.stderr, command.stderr),
    ]);
    receiving.stop();
    return exit.status === "fulfilled" ? exitStatus(exit.value) : failureStatus(exit.reason);
  } catch (error) {
    return failureStatus(error);
  }
}

/** Passes on what comes, no faster than the command takes it: while its stdin is full, nothing more is read. */
function receive(socket: WebSocket, command: SocketCommand): { stop(): void } {
  const { stdin } = command;
  const resize = lastOnly((size: TerminalSize) => command.resize(size));
  const onMessage = (message: Buffer | ArrayBuffer | Buffer[]): void => {
    const frame = decodeFrame(bytesOf(message), socket.protocol);
    if (frame?.type === "end" && frame.channel === channel.stdin) stdin?.end();
    if (frame?.type !== "data") return;
    if (frame.channel === channel.stdin) {
      if (frame.data.length > 0 && stdin?.writable === true && !stdin.write(frame.data)) socket.pause();
    } else if (frame.channel === channel.resize) {
      const size = decodeResize(frame.data);
      if (size !== undefined) resize(size);
    }
  };
  const goOn = (): void => socket.resume();
  stdin?.on("drain", goOn);
  stdin?.on("close", goOn);
  // A command may end without reading what it was given.
  stdin?.on("error", goOn);
  socket.on("message", onMessage);
  socket.resume();
  return { stop: () => socket.off("message", onMessage) };
}

/** Does one after the other, and leaves out what is overtaken: each size of a terminal costs a process. */
function lastOnly<T>(work: (value: T) => Promise<void>): (value: T) => void {
  let next: { readonly value: T } | undefined;
  let isBusy = false;
  const go = (): void => {
    if (isBusy || next === undefined) return;
    const { value } = next;
    next = undefined;
    isBusy = true;
    const done = (): void => {
      isBusy = false;
      go();
    };
    work(value).then(done, done); // A size that comes too late is no loss.
  };
  return (value) => {
    next = { value };
    go();
  };
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
  const message = messageOf(error);
  return { metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 };
}
