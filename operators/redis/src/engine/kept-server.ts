import { DeadlineError, type Clock } from "@kedge/machinery";
import { RedisFailure, wayFailure } from "./failure.ts";
import { encodeCommands, ReplyReader } from "./resp.ts";
import type { Address, CallOptions, Channel, Command, Dialer, Login, RedisServer, Reply } from "./types.ts";

/** What connections are made with. */
export interface KeptServerOptions {
  readonly clock: Clock;
  readonly dial: Dialer;
  /** For a call that says nothing else. */
  readonly timeoutMs: number;
  /** Of one reply. */
  readonly mostReplyBytes: number;
  readonly isOneConnection: boolean;
}

/** A server over one connection that is kept: `RedisServer` for any way of dialling. */
export class KeptServer implements RedisServer {
  readonly address: Address;
  readonly #login: Login | undefined;
  readonly #options: KeptServerOptions;
  readonly #listeners: ((why: RedisFailure) => void)[] = [];
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  /** There is a connection, and it is being logged in on it. */
  #isDialled = false;
  #isClosed = false;
  #ended: RedisFailure | undefined;

  constructor(address: Address, login: Login | undefined, options: KeptServerOptions) {
    this.address = address;
    this.#login = login;
    this.#options = options;
  }

  async call(commands: readonly Command[], options: CallOptions = {}): Promise<readonly Reply[]> {
    const { clock, timeoutMs } = this.#options;
    using deadline = clock.deadline(options.timeoutMs ?? timeoutMs, options.signal);
    const { signal } = deadline;
    let connection: Connection | undefined;
    try {
      signal.throwIfAborted();
      connection = await unlessAborted(this.#connected(), signal);
      return await unlessAborted(connection.send(commands), signal);
    } catch (error) {
      const wasReached = connection !== undefined || this.#isDialled;
      const failure = signal.aborted
        ? this.#abortFailure(signal, wasReached)
        : wayFailure(error, this.#where());
      // Replies are told apart by their order alone: after one that is missing, no other could be trusted.
      connection?.fail(failure);
      throw failure;
    }
  }

  onLost(listener: (why: RedisFailure) => void): void {
    this.#listeners.push(listener);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#listeners.length = 0;
    this.#connection?.fail(new RedisFailure("ABORTED", `${this.#where()}: closed`));
  }

  /** One connection for all that ask while it is being made. A call that cannot wait any longer does not end it. */
  async #connected(): Promise<Connection> {
    if (this.#isClosed) throw new RedisFailure("ABORTED", `${this.#where()}: closed`);
    if (this.#connection !== undefined) return this.#connection;
    if (this.#options.isOneConnection && this.#ended !== undefined) throw this.#ended;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return await this.#opening;
  }

  async #open(): Promise<Connection> {
    const { clock, dial, timeoutMs, mostReplyBytes } = this.#options;
    using deadline = clock.deadline(timeoutMs);
    const connection = new Connection(new ReplyReader(mostReplyBytes), this.#where());
    try {
      connection.channel = await dial(this.address, connection, deadline.signal);
      this.#isDialled = true;
      if (this.#login !== undefined) {
        await unlessAborted(logIn(connection, this.#login), deadline.signal);
      }
    } catch (error) {
      const failure = deadline.signal.aborted
        ? this.#abortFailure(deadline.signal, this.#isDialled)
        : wayFailure(error, this.#where());
      connection.fail(failure);
      throw failure;
    } finally {
      this.#isDialled = false;
    }
    if (this.#isClosed) {
      const closed = new RedisFailure("ABORTED", `${this.#where()}: closed`);
      connection.fail(closed);
      throw closed;
    }
    connection.onEnd = (why, isOurs) => {
      if (this.#connection === connection) this.#connection = undefined;
      this.#ended = why;
      if (!isOurs) for (const listener of this.#listeners) listener(why);
    };
    if (connection.failure !== undefined) throw connection.failure;
    this.#connection = connection;
    return connection;
  }

  #abortFailure({ reason }: AbortSignal, wasReached: boolean): RedisFailure {
    return reason instanceof DeadlineError
      ? new RedisFailure("TIMEOUT", `${this.#where()}: no answer within ${reason.ms} ms`, { wasReached })
      : new RedisFailure("ABORTED", `${this.#where()}: not waited for any more`, { cause: reason });
  }

  #where(): string {
    return `${this.address.host}:${this.address.port}`;
  }
}

/** With the first password that the server takes. */
async function logIn(connection: Connection, { username, password, others = [] }: Login): Promise<void> {
  let refusal: RedisFailure | undefined;
  for (const one of [password, ...others]) {
    const [reply] = await connection.send([["AUTH", username, one]]);
    if (!(reply instanceof RedisFailure)) return;
    refusal = reply;
    if (reply.code !== "WRONGPASS") break;
  }
  throw refusal ?? new RedisFailure("PROTOCOL", "no password");
}

interface Waiting {
  readonly left: number;
  readonly replies: Reply[];
  readonly resolve: (replies: readonly Reply[]) => void;
  readonly reject: (failure: RedisFailure) => void;
}

/** One connection: replies go to those who sent the commands, in their order. */
class Connection {
  channel: Channel | undefined;
  onEnd: ((why: RedisFailure, isOurs: boolean) => void) | undefined;
  failure: RedisFailure | undefined;
  readonly #reader: ReplyReader;
  readonly #where: string;
  readonly #waiting: Waiting[] = [];

  constructor(reader: ReplyReader, where: string) {
    this.#reader = reader;
    this.#where = where;
  }

  async send(commands: readonly Command[]): Promise<readonly Reply[]> {
    if (this.failure !== undefined) throw this.failure;
    if (commands.length === 0) return [];
    const { promise, resolve, reject } = Promise.withResolvers<readonly Reply[]>();
    this.#waiting.push({ left: commands.length, replies: [], resolve, reject });
    this.channel?.write(encodeCommands(commands));
    return await promise;
  }

  data(bytes: Buffer): void {
    if (this.failure !== undefined) return;
    try {
      for (const reply of this.#reader.push(bytes)) this.#answer(reply);
    } catch (error) {
      this.#end(wayFailure(error, this.#where), false);
    }
  }

  end(error?: unknown): void {
    const text = this.#reader.isInside ? "HALFREPLY" : "CLOSED";
    const closed = new RedisFailure(text, `${this.#where}: the server has closed the connection`);
    this.#end(error === undefined ? closed : wayFailure(error, this.#where), false);
  }

  /** Closes it from our side. */
  fail(failure: RedisFailure): void {
    this.#end(failure, true);
  }

  #answer(reply: Reply): void {
    const [first] = this.#waiting;
    // A server that was not asked anything says something only before it closes: too many clients, protected mode.
    if (first === undefined) throw reply instanceof RedisFailure ? reply : notAsked();
    first.replies.push(reply);
    if (first.replies.length < first.left) return;
    this.#waiting.shift();
    first.resolve(first.replies);
  }

  #end(failure: RedisFailure, isOurs: boolean): void {
    if (this.failure !== undefined) return;
    this.failure = failure;
    this.channel?.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
    this.onEnd?.(failure, isOurs);
  }
}

function notAsked(): RedisFailure {
  return new RedisFailure("PROTOCOL", "the server answers what it was not asked");
}

/** Goes on when the signal aborts, whatever becomes of the work. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new RedisFailure("ABORTED", "aborted", { cause: signal.reason }));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
