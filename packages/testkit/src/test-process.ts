import type { Client } from "@kedge/client";
import type { Clock } from "@kedge/machinery";
import type { CrashMoment } from "./faulty-transport.ts";

/** At which write a process dies, counted from 0 over all of its lives, and when. */
export interface CrashPoint {
  readonly write: number;
  readonly when: CrashMoment;
}

/** Something that runs on a client until its signal aborts. */
export interface Runnable {
  run(signal: AbortSignal): Promise<void>;
  ready(): Promise<void>;
}

/** What a process is made of. */
export interface TestProcessOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Makes the client of one life. */
  readonly client: (life: Life) => Client;
  /** Makes what runs, for each life anew. */
  readonly make: (client: Client, life: Life) => Runnable;
  /** Called when the process ends by itself, which none should. */
  readonly onFailure: (error: unknown) => void;
}

/** One life of a process, as its transport sees it. */
export interface Life {
  readonly number: number;
  readonly signal: AbortSignal;
  onWrite(what: string): Promise<CrashMoment | undefined>;
  kill(): void;
}

/** Milliseconds after which a process that was killed is started again. */
const restartMs = 1_000;

/** A process of the cluster: it can be killed at any of its writes, and comes back with an empty memory. */
export class TestProcess {
  /** Called before each write with what it is; events do not count. A test can do something at that very moment. */
  onWrite: ((what: string, number: number) => Promise<void> | void) | undefined;
  readonly name: string;
  readonly #options: TestProcessOptions;
  readonly #writes: string[] = [];
  #crash: CrashPoint | undefined;
  #life: { readonly stop: AbortController; readonly run: Runnable; readonly done: Promise<void> } | undefined;
  #lives = 0;
  #isStopped = false;

  constructor(options: TestProcessOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** What it has written, or tried to, over all of its lives. Events do not count. */
  get writes(): readonly string[] {
    return this.#writes;
  }

  /** How often it was started. */
  get lives(): number {
    return this.#lives;
  }

  /** Lets it die at one of its writes to come. */
  crashAt(point: CrashPoint | undefined): void {
    this.#crash = point;
  }

  /** Begins a life. */
  start(): void {
    const stop = new AbortController();
    const number = this.#lives++;
    const life: Life = {
      number,
      signal: stop.signal,
      onWrite: (what) => this.#write(what),
      kill: () => this.kill(),
    };
    const run = this.#options.make(this.#options.client(life), life);
    const done = run.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#options.onFailure(error);
    });
    this.#life = { stop, run, done };
  }

  /** Resolves when it does its work. */
  async ready(): Promise<void> {
    await this.#life?.run.ready();
  }

  /** Kills it: what it has asked is not answered. It is started again after a second. */
  kill(): void {
    const life = this.#life;
    if (life === undefined || life.stop.signal.aborted) return;
    life.stop.abort();
    this.#options.clock.timer(restartMs, () => {
      if (!this.#isStopped) this.start();
    });
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#life?.stop.abort();
    await this.#life?.done;
  }

  async #write(what: string): Promise<CrashMoment | undefined> {
    const number = this.#writes.push(what) - 1;
    await this.onWrite?.(what, number);
    return this.#crash?.write === number ? this.#crash.when : undefined;
  }
}
