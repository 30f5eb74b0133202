import { inBackground, type Clock } from "@kedge/machinery";
import { connectRedis, type RedisConnection, type ServerAddress } from "./connection.ts";
import { LedgerBook } from "./ledger-book.ts";
import { ServerError } from "./replies.ts";

/** How a client writes. */
export interface LedgerOptions {
  readonly clock: Clock;
  /** Keys begin with it: each ledger has its own. */
  readonly name: string;
  /** Where the primary is said to be now. Asked again for each connection. */
  readonly route: (signal: AbortSignal) => Promise<ServerAddress>;
  /** Default 5,000. */
  readonly writesPerSecond?: number;
  /** Each batch is followed by `WAIT replicas timeoutMs`: what it says is written down, too. */
  readonly wait?: { readonly replicas: number; readonly timeoutMs: number };
}

/** A client that writes all the time and keeps a ledger of what was acknowledged. */
export interface Ledger extends AsyncDisposable {
  readonly book: LedgerBook;
  /** Stops writing, and waits until nothing is under way any more. */
  stop(): Promise<void>;
}

/** Writes go in batches, as often as this. */
const batchMs = 10;
/** While nothing is acknowledged, another connection is tried so often, beside those that still wait. */
const retryMs = 25;
/** A server that acknowledges nothing for so long is not waited for alone any more. */
const silenceMs = 100;
/** What a connection may take at most. Generous: others are tried meanwhile. */
const connectMs = 2000;
const mostTries = 40;
/** No more unanswered commands of a connection than this. */
const mostUnderWay = 2000;

/**
 * Starts writing. A client that is in no way clever, but quick: when the server is silent or refuses to write, it tries
 * new connections, one beside the other, and goes on with the first one on which a write is acknowledged.
 */
export function startLedger(options: LedgerOptions): Ledger {
  const ledger = new RunningLedger(options);
  const done = ledger.run();
  inBackground(done, () => undefined);
  const stop = async (): Promise<void> => {
    ledger.stop();
    await done;
  };
  return { book: ledger.book, stop, [Symbol.asyncDispose]: stop };
}

interface Line {
  readonly connection: RedisConnection;
  underWay: number;
}

class RunningLedger {
  readonly book: LedgerBook;
  readonly #options: LedgerOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #lines = new Set<Line>();
  readonly #tries = new Set<Promise<void>>();
  #current: Line | undefined;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.book = new LedgerBook(options.name, () => options.clock.monotonic());
  }

  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    const { writesPerSecond = 5000 } = this.#options;
    let [last, owed, tried] = [this.#clock.monotonic(), 0, -Infinity];
    while (!this.#stopping.signal.aborted) {
      const now = this.#clock.monotonic();
      // What could not be sent is not made up for.
      owed = Math.min(owed + ((now - last) * writesPerSecond) / 1000, writesPerSecond / 10);
      last = now;
      const line = this.#current;
      const count = Math.min(Math.floor(owed), mostUnderWay - (line?.underWay ?? 0));
      if (line !== undefined && count > 0) {
        owed -= count;
        this.#write(line, count);
      }
      if (!this.#isServed() && now - tried >= retryMs && this.#tries.size < mostTries) {
        tried = now;
        this.#try();
      }
      await this.#clock.sleep(batchMs);
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    this.book.end();
    // What was sent last is given the time to be acknowledged.
    const until = this.#clock.monotonic() + 1000;
    while ((this.#current?.underWay ?? 0) > 0 && this.#clock.monotonic() < until)
      await this.#clock.sleep(batchMs);
    for (const { connection } of this.#lines) connection[Symbol.dispose]();
    await Promise.all(this.#tries);
  }

  #isServed(): boolean {
    return this.#current !== undefined && this.#clock.monotonic() - this.book.lastAt < silenceMs;
  }

  #try(): void {
    const one: Promise<void> = this.#connect()
      .catch((error: unknown) => {
        if (error instanceof ServerError) this.book.refuse(error.code);
      })
      .finally(() => this.#tries.delete(one));
    this.#tries.add(one);
  }

  async #connect(): Promise<void> {
    const { signal } = this.#stopping;
    const address = await this.#options.route(signal);
    const connection = await connectRedis(address, { clock: this.#clock, timeoutMs: connectMs });
    const line: Line = { connection, underWay: 0 };
    this.#lines.add(line);
    connection.onEnd(() => this.#forget(line));
    if (signal.aborted || this.#isServed()) connection[Symbol.dispose]();
    else this.#write(line, 1);
  }

  #write(line: Line, count: number): void {
    const { wait } = this.#options;
    const { book } = this;
    const numbers = Array.from({ length: count }, () => book.begin());
    const commands = numbers.map((number) => ["SET", book.keyOf(number), String(number)]);
    if (wait !== undefined) commands.push(["WAIT", String(wait.replicas), String(wait.timeoutMs)]);
    line.underWay += commands.length;
    line.connection.send(commands, (reply, index) => {
      line.underWay--;
      const number = numbers[index];
      if (number === undefined) {
        if (wait !== undefined && typeof reply === "number" && reply >= wait.replicas) book.confirm(numbers);
      } else if (reply === "OK") {
        // Before the acknowledgement is written down: it would make any line look served.
        this.#choose(line);
        book.acknowledge(number, line.connection.runId);
      } else if (reply instanceof ServerError) {
        book.refuse(reply.code);
        // Another server, or this one later, will take writes.
        if (reply.code !== "NOREPLICAS") line.connection[Symbol.dispose]();
      }
    });
  }

  #choose(line: Line): void {
    if (this.#current === line) return;
    if (this.#isServed()) {
      line.connection[Symbol.dispose]();
      return;
    }
    this.#current?.connection[Symbol.dispose]();
    this.#current = line;
  }

  #forget(line: Line): void {
    this.#lines.delete(line);
    if (this.#current === line) this.#current = undefined;
  }
}
