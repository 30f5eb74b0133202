import { inBackground, type MessageStream, type Status } from "@kedge/machinery";
import { ByteQueue, channel, channelProtocol, encodeAll, encodeEnd } from "@kedge/machinery/streams";
import { ClientError } from "../client-error.ts";
import { abortFailure } from "../failures.ts";
import { readFrame, resizeMessage } from "./channel.ts";
import { exitOf, statusIn, type CommandExit } from "./exit-status.ts";

/** What a command reads. Writes are sent in the order of the calls. */
export interface CommandInput {
  /** Resolves when the data has left our buffers: await it, or memory fills while the command is slow. */
  write(data: string | Uint8Array): Promise<void>;
  /** The command sees the end of its input. Needs the protocol v5 (Kubernetes 1.30). */
  end(): Promise<void>;
}

/** What a command writes. Read it once; leaving the iteration early is `discard()`. */
export interface CommandOutput extends AsyncIterable<Uint8Array> {
  /** Not interested: what waits and what is still to come is dropped. */
  discard(): void;
}

/**
 * A running command. stdout and stderr share one connection: when about 256 KiB of one of them wait to be read,
 * nothing more is read from the connection, neither the other stream nor the exit. So read both at the same time,
 * `discard()` what is of no interest, or do not ask for it in the first place.
 */
export interface CommandSession {
  readonly stdin: CommandInput;
  readonly stdout: CommandOutput;
  /** With a terminal there is none: all comes on stdout. */
  readonly stderr: CommandOutput;
  /**
   * How the command ended. Rejects with a `StatusError` when it could not be run, with a `ClientError` when the
   * connection broke or was closed before the end. Ignoring it is allowed.
   */
  readonly exit: Promise<CommandExit>;
  /** Tells the command's terminal its size, in characters. */
  resize(columns: number, rows: number): Promise<void>;
  /** Lets go of the connection. A command that still runs is not killed; most end when their stdin is gone. */
  close(): Promise<void>;
}

/** What a session needs to know of its command. */
export interface CommandSessionOptions {
  /** For messages: `exec`, `attach`. */
  readonly what: string;
  /** Whether stdin was asked for. */
  readonly stdin: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the channel protocol of exec and attach on an open stream. */
export function startCommandSession(stream: MessageStream, options: CommandSessionOptions): CommandSession {
  const session = new ChannelSession(stream, options);
  inBackground(session.pump(), () => undefined); // Only the closing can fail, and then it is closed.
  return session;
}

/** A status is small; more than this on its channel is something else. */
const maxStatusBytes = 1 << 20;

class ChannelSession implements CommandSession {
  readonly stdout = new ByteQueue();
  readonly stderr = new ByteQueue();
  readonly stdin: CommandInput = { write: (data) => this.#write(data), end: () => this.#endInput() };
  readonly #exit = Promise.withResolvers<CommandExit>();
  readonly #stream: MessageStream;
  readonly #options: CommandSessionOptions;
  #statusBytes = Buffer.alloc(0);
  /** Why nothing can be sent any more. */
  #over: Error | undefined;
  #inputEnded = false;
  /** Settles when all that was written so far has been sent. Never rejects. */
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(stream: MessageStream, options: CommandSessionOptions) {
    this.#stream = stream;
    this.#options = options;
    // A broken connection is also what the readers of the outputs see: nobody has to look at both.
    this.exit.catch(() => undefined);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal?.aborted === true) this.#onAbort();
  }

  get exit(): Promise<CommandExit> {
    return this.#exit.promise;
  }

  /** Moves what comes to where it belongs, until the command has ended. */
  async pump(): Promise<void> {
    try {
      this.#complete(await this.#untilStatus());
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#end(failure);
      this.stdout.end(failure);
      this.stderr.end(failure);
      this.#exit.reject(failure);
    }
    await this.#stream.close();
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#send(resizeMessage(columns, rows));
  }

  async close(): Promise<void> {
    await this.#abandon(
      new ClientError("ABORTED", `${this.#options.what}: closed by the caller before the end`),
    );
  }

  async #untilStatus(): Promise<Status> {
    for await (const message of this.#stream.messages) {
      const frame = readFrame(message, this.#stream.protocol);
      if (frame === undefined) continue;
      const output = this.#outputOf(frame.channel);
      if (frame.type === "end") {
        output?.end();
      } else if (frame.channel === channel.status) {
        const status = this.#readStatus(frame.data);
        if (status !== undefined) return status;
      } else if (output !== undefined && frame.data.length > 0) {
        output.push(frame.data);
        await output.room();
      }
    }
    throw this.#noStatus();
  }

  #outputOf(number: number): ByteQueue | undefined {
    if (number === channel.stdout) return this.stdout;
    return number === channel.stderr ? this.stderr : undefined;
  }

  #readStatus(data: Uint8Array): Status | undefined {
    this.#statusBytes = Buffer.concat([this.#statusBytes, data]);
    if (this.#statusBytes.length > maxStatusBytes) throw this.#noStatus();
    return statusIn(this.#statusBytes.toString());
  }

  #noStatus(): ClientError {
    const { what } = this.#options;
    if (this.#statusBytes.length === 0) {
      return new ClientError(
        "CONNECTION_LOST",
        `${what}: the stream ended before the command's exit status came`,
      );
    }
    const text = this.#statusBytes.toString("utf8", 0, 200);
    return new ClientError("PROTOCOL", `${what}: what came as the command's exit status is none: ${text}`);
  }

  #complete(status: Status): void {
    this.#end(new ClientError("CONNECTION_LOST", `${this.#options.what}: the command has ended`));
    this.stdout.end();
    this.stderr.end();
    try {
      this.#exit.resolve(exitOf(status));
    } catch (error) {
      this.#exit.reject(error);
    }
  }

  #end(why: Error): void {
    this.#over ??= why;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const { signal, what } = this.#options;
    if (signal !== undefined) inBackground(this.#abandon(abortFailure(signal, what)), () => undefined);
  };

  async #abandon(why: ClientError): Promise<void> {
    if (this.#over === undefined) {
      this.#end(why);
      this.stdout.abort(why);
      this.stderr.abort(why);
      this.#exit.reject(why);
    }
    await this.#stream.close();
  }

  #write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    if (!this.#options.stdin) return this.#misuse("stdin was not asked for: set stdin to true");
    if (this.#inputEnded) return this.#misuse("stdin has been ended already");
    return this.#inOrder(async () => {
      for (const message of encodeAll(channel.stdin, bytes)) await this.#send(message);
    });
  }

  #endInput(): Promise<void> {
    if (!this.#options.stdin || this.#inputEnded) return Promise.resolve();
    if (this.#stream.protocol !== channelProtocol.v5) {
      const why = `the server speaks only ${this.#stream.protocol}, which cannot end stdin`;
      return Promise.reject(new ClientError("PROTOCOL", `${this.#options.what}: ${why}`));
    }
    this.#inputEnded = true;
    return this.#inOrder(() => this.#send(encodeEnd(channel.stdin)));
  }

  #misuse(why: string): Promise<never> {
    return Promise.reject(new ClientError("USAGE", `${this.#options.what}: ${why}`));
  }

  /** A write of several messages must not be mixed with the next one, nor be cut by the end. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.#lastWrite.then(work);
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  #send(message: Uint8Array): Promise<void> {
    return this.#over === undefined ? this.#stream.send(message) : Promise.reject(this.#over);
  }
}
