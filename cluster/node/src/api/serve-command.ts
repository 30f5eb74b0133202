import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { inBackground, messageOf, type MessageStream, type ServedStream } from "@kedge/machinery";
import { channel, decodeFrame, decodeResize, encodeAll, type TerminalSize } from "@kedge/machinery/streams";

/** A command whose streams go to a client. */
export interface ServedCommand {
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

/** How a command is started, and what is said when it cannot be run. */
export interface StartCommand {
  /** The signal aborts when the other side has gone. */
  readonly start: (signal: AbortSignal) => Promise<ServedCommand>;
  /** The kubelet's words: "error executing command in container". */
  readonly failure: string;
}

/** Starts a command, leads its streams to a client, and ends with the command's status. Never throws. */
export async function serveCommand(stream: ServedStream, start: StartCommand): Promise<void> {
  const status = await outcomeOf(stream, start);
  if (!stream.gone.aborted) {
    await send(stream, channel.status, Buffer.from(JSON.stringify(status))).catch(() => undefined);
  }
  await stream.close();
}

async function outcomeOf(stream: ServedStream, { start, failure }: StartCommand): Promise<object> {
  const { gone } = stream;
  try {
    const command = await start(gone);
    const cancel = (): void => command.cancel();
    gone.addEventListener("abort", cancel, { once: true });
    if (gone.aborted) cancel();
    // It ends with the stream, and what breaks that is told by `gone`.
    inBackground(receive(stream, command), () => undefined);
    const [exit] = await Promise.allSettled([
      command.exit,
      copy(stream, channel.stdout, command.stdout),
      copy(stream, channel.stderr, command.stderr),
    ]);
    gone.removeEventListener("abort", cancel);
    return exit.status === "fulfilled" ? exitStatus(exit.value) : failureStatus(failure, exit.reason);
  } catch (error) {
    return failureStatus(failure, error);
  }
}

/** Passes on what comes, no faster than the command takes it: while its stdin is full, nothing more is read. */
async function receive(stream: ServedStream, command: ServedCommand): Promise<void> {
  const { stdin } = command;
  // A command may end without reading what it was given.
  stdin?.on("error", () => undefined);
  const resize = lastOnly((size: TerminalSize) => command.resize(size));
  for await (const message of stream.messages) {
    const frame = decodeFrame(message, stream.protocol);
    if (frame?.type === "end" && frame.channel === channel.stdin) stdin?.end();
    if (frame?.type !== "data") continue;
    if (frame.channel === channel.stdin) {
      if (frame.data.length > 0 && stdin?.writable === true) await write(stdin, frame.data, stream.gone);
    } else if (frame.channel === channel.resize) {
      const size = decodeResize(frame.data);
      if (size !== undefined) resize(size);
    }
  }
}

async function write(stdin: Writable, data: Uint8Array, gone: AbortSignal): Promise<void> {
  if (stdin.write(data)) return;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, gone]);
  // It has room again, or nobody reads it any more.
  await Promise.race([once(stdin, "drain", { signal }), once(stdin, "close", { signal })]).catch(
    () => undefined,
  );
  over.abort();
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

async function copy(stream: ServedStream, to: number, from: ServedCommand["stdout"]): Promise<void> {
  if (from === undefined) return;
  for await (const chunk of from) {
    await send(stream, to, Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  }
}

/** Sends data on a channel; resolves when it has left our buffers. */
export async function send(stream: MessageStream, to: number, data: Uint8Array): Promise<void> {
  for (const message of encodeAll(to, data)) await stream.send(message);
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

/** How it tells what went wrong. */
function failureStatus(failure: string, error: unknown): object {
  const message = `${failure}: ${messageOf(error)}`;
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message }] },
    code: 500,
  };
}
