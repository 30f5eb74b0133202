import type { Clock, Random } from "@kedge/machinery";
import {
  RedisFailure,
  type Address,
  type CallOptions,
  type Command,
  type Login,
  type RedisServer,
  type Reply,
} from "@kedge/redis-operator/engine";
import type { OperatorLife } from "@kedge/testkit";
import { carryOut, changes, type Speaker } from "./model-commands.ts";
import type { ModelProcess } from "./model-process.ts";

/** What a connection of an operator goes through. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly life: OperatorLife;
  readonly address: Address;
  readonly login: Login | undefined;
  readonly isOneConnection: boolean;
  /** Who listens there now, as the operator sees it. */
  readonly find: (host: string) => ModelProcess | "silent" | "refused";
  /** All connections to all servers: some commands close others'. */
  readonly all: Set<ModelConnection>;
}

const usualTimeout = 1000;
const mostLatency = 2;

/** A server of the model, as an operator speaks to it: it may die at each command that changes something. */
export class ModelConnection implements RedisServer {
  readonly address: Address;
  readonly #options: ConnectionOptions;
  readonly #listeners: ((why: RedisFailure) => void)[] = [];
  #open: Open | undefined;
  #wasOpen = false;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.address = options.address;
    options.all.add(this);
  }

  async call(
    commands: readonly Command[],
    { timeoutMs = usualTimeout, signal }: CallOptions = {},
  ): Promise<readonly Reply[]> {
    const { clock, life, random } = this.#options;
    using deadline = clock.deadline(timeoutMs, signal);
    this.#mustLive();
    const open = this.#open ?? (await this.#connect(deadline.signal));
    const words = commands.filter(changes);
    const what = `redis ${open.process.pod} ${words.map((command) => command.slice(0, 3).join(" ")).join("; ")}`;
    const moment = words.length > 0 ? await life.onWrite(what) : undefined;
    if (moment === "before") life.kill();
    this.#mustLive();
    await clock.sleep(random.int(mostLatency + 1));
    this.#mustLive();
    await this.#untilAnswered(open, deadline.signal);
    const replies = this.#carryOut(open, commands);
    await clock.sleep(random.int(mostLatency + 1));
    if (moment === "at") life.kill();
    this.#mustLive();
    if (moment === "after") clock.timer(0, () => life.kill());
    // The replies were sent before the connection was closed.
    return replies;
  }

  onLost(listener: (why: RedisFailure) => void): void {
    this.#listeners.push(listener);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#listeners.length = 0;
    this.#options.all.delete(this);
    this.#close();
  }

  /** Whose connection it is, and to whom. */
  get end(): { readonly user: string; readonly process: ModelProcess } | undefined {
    return this.#open === undefined
      ? undefined
      : { user: this.#open.speaker.user, process: this.#open.process };
  }

  /** The other side ends it. */
  lose(): void {
    if (this.#open === undefined) return;
    this.#close();
    const why = new RedisFailure("CLOSED", `${this.address.host}: the server has closed the connection`);
    if (!this.#options.life.signal.aborted) for (const listener of this.#listeners) listener(why);
  }

  async #connect(signal: AbortSignal): Promise<Open> {
    const { find, login, isOneConnection, clock } = this.#options;
    if (this.#isClosed || (isOneConnection && this.#wasOpen))
      throw new RedisFailure("ABORTED", `${this.address.host}: closed`);
    await clock.sleep(1);
    const process = find(this.address.host);
    if (process === "refused") throw new RedisFailure("REFUSED", `${this.address.host}: connection refused`);
    if (process === "silent") throw await this.#silence(signal);
    const speaker: Speaker = { user: "default", queued: undefined };
    const lose = (): void => this.lose();
    const open: Open = { process, speaker, lose };
    await this.#untilAnswered(open, signal);
    if (login !== undefined) {
      const tried = [login.password, ...(login.others ?? [])].map(
        (password) => () => this.#carryOut(open, [["AUTH", login.username, password]])[0],
      );
      let reply: Reply | undefined;
      for (const again of tried) if (reply === undefined || reply instanceof RedisFailure) reply = again();
      if (reply instanceof RedisFailure) throw reply;
    }
    process.onEnd.add(lose);
    this.#open = open;
    this.#wasOpen = true;
    return open;
  }

  #carryOut(open: Open, commands: readonly Command[]): readonly Reply[] {
    const { all } = this.#options;
    const { process, speaker } = open;
    if (!process.isAlive)
      throw new RedisFailure("CLOSED", `${this.address.host}: the server has closed the connection`);
    const closing = new Set<ModelConnection>();
    const others = (isMeant: (user: string) => boolean): void => {
      for (const other of all)
        if (other !== this && other.end?.process === process && isMeant(other.end.user)) closing.add(other);
    };
    const effects = {
      closeUsers: (users: readonly string[]) => {
        others((user) => users.includes(user));
        if (users.includes(speaker.user)) closing.add(this);
      },
      closeClients: () => others(() => true),
    };
    const replies = commands.map((command) => carryOut(process, speaker, command, effects));
    process.options.onRole(process);
    for (const other of closing) other.lose();
    return replies;
  }

  /** A server that hangs, or that is behind a cut cable, takes commands and never answers. */
  async #untilAnswered({ process }: Open, signal: AbortSignal): Promise<void> {
    if (!process.isAlive) {
      this.#close();
      throw new RedisFailure("CLOSED", `${this.address.host}: the server has closed the connection`);
    }
    if (this.#options.find(this.address.host) === process && !process.isPaused) return;
    this.#close();
    throw await this.#silence(signal, process.isPaused);
  }

  async #silence(signal: AbortSignal, wasReached = false): Promise<RedisFailure> {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return new RedisFailure("TIMEOUT", `${this.address.host}: no answer`, { wasReached });
  }

  #mustLive(): void {
    if (this.#options.life.signal.aborted)
      throw new RedisFailure("ABORTED", "simulated: the operator was killed");
  }

  #close(): void {
    if (this.#open !== undefined) this.#open.process.onEnd.delete(this.#open.lose);
    this.#open = undefined;
  }
}

interface Open {
  readonly process: ModelProcess;
  readonly speaker: Speaker;
  readonly lose: () => void;
}
