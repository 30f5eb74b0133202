import type { Client } from "@kedge/client";
import {
  ifFound,
  messageOf,
  parseDurationMs,
  type DeepReadonly,
  type Draft,
  type Kind,
  type KeyIn,
  type Scope,
  type VirtualClock,
} from "@kedge/machinery";
import type { SimulatedAgent } from "@kedge/node";
import type { Store } from "@kedge/store";
import { readState, type ClusterState } from "./cluster-state.ts";
import type { Lifetimes } from "./lifetimes.ts";
import type { RightsCheck } from "./rights-check.ts";
import type { TestProcess } from "./test-process.ts";
import type { Trace, WriteRecord } from "./trace.ts";
import type { Snapshot, TestEnv, TestPrograms, WaitOptions } from "./types.ts";

/** The parts of an environment that runs. */
export interface EnvParts {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly store: Store;
  readonly trace: Trace;
  readonly lifetimes: Lifetimes;
  readonly rights: RightsCheck;
  readonly processes: readonly TestProcess[];
  /** What went wrong in the background. */
  readonly failures: readonly unknown[];
  readonly agent: () => SimulatedAgent | undefined;
  readonly programs: TestPrograms | undefined;
  /** Ends the server and the store. */
  readonly close: () => Promise<void>;
}

const usualLimit = 600_000;

/** An environment whose processes run. */
export class RunningEnv implements TestEnv {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly #parts: EnvParts;

  constructor(parts: EnvParts) {
    this.clock = parts.clock;
    this.client = parts.client;
    this.#parts = parts;
  }

  get node(): SimulatedAgent {
    const agent = this.#parts.agent();
    if (agent === undefined) throw new Error("this environment was started without a node");
    return agent;
  }

  get programs(): TestPrograms | undefined {
    return this.#parts.programs;
  }

  get trace(): readonly WriteRecord[] {
    return this.#parts.trace.writes;
  }

  process(name: string): TestProcess {
    const { processes } = this.#parts;
    const found = processes.find((process) => process.name === name);
    if (found !== undefined) return found;
    throw new Error(
      `there is no process ${name}, only ${processes.map((process) => process.name).join(", ")}`,
    );
  }

  unusedRights(operator: string): readonly string[] {
    return this.#parts.rights.unusedBy(operator);
  }

  async run<T>(work: Promise<T>): Promise<T> {
    return await this.#withPicture(() => this.clock.runUntil(work));
  }

  async advance(time: number | string): Promise<void> {
    await this.#withPicture(() => this.clock.advance(millisecondsOf(time)));
  }

  async create<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    object: DeepReadonly<Draft<T>>,
  ): Promise<T> {
    return await this.run(this.client.of(kind).create(object));
  }

  async eventually<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    key: KeyIn<S>,
    predicate: (object: T) => boolean,
    options: WaitOptions = {},
  ): Promise<T> {
    let found: T | undefined;
    const isSo = (object: T | undefined): boolean => {
      if (object === undefined || !predicate(object)) return false;
      found = object;
      return true;
    };
    await this.#until(kind, key, isSo, options);
    if (found === undefined) throw new Error("a wait ends only when the object is as expected");
    return found;
  }

  async eventuallyGone<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    key: KeyIn<S>,
    options: WaitOptions = {},
  ): Promise<void> {
    await this.#until(kind, key, (object) => object === undefined, options);
  }

  async untilQuiet(quiet: number | string = 30_000, { limit = usualLimit }: WaitOptions = {}): Promise<void> {
    const { trace } = this.#parts;
    const end = this.clock.monotonic() + limit;
    for (let seen = -1; seen !== trace.changes;) {
      if (this.clock.monotonic() > end) {
        throw new Error(`not quiet within ${limit} ms of virtual time\n${trace.picture()}`);
      }
      seen = trace.changes;
      await this.advance(quiet);
    }
  }

  async snapshot(): Promise<Snapshot> {
    const { store, agent, programs } = this.#parts;
    return {
      store: await this.run(store.fork()),
      now: this.clock.now(),
      machine: agent()?.machine(),
      programs: programs?.snapshot(),
    };
  }

  async state(): Promise<ClusterState> {
    return await this.run(readState(this.client, this.#parts.lifetimes));
  }

  async stop(): Promise<void> {
    const { processes, lifetimes, close, failures } = this.#parts;
    await this.clock.runUntil(Promise.all(processes.map((process) => process.stop())));
    lifetimes.stop();
    await close();
    if (failures.length > 0) {
      throw new Error("something failed in the background", { cause: failures[0] });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Looks at once, and then after each write. */
  async #until<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    key: KeyIn<S>,
    isSo: (object: T | undefined) => boolean,
    { limit = usualLimit }: WaitOptions,
  ): Promise<void> {
    const { trace } = this.#parts;
    const end = this.clock.monotonic() + limit;
    for (;;) {
      const seen = trace.writes.length;
      const object = await this.run(ifFound(this.client.of(kind).get(key)));
      if (isSo(object)) return;
      try {
        const left = end - this.clock.monotonic();
        await this.clock.runUntil(() => trace.writes.length > seen, { limit: left });
      } catch (error) {
        const what = `${kind.kind} ${key.namespace === undefined ? "" : `${key.namespace}/`}${key.name}`;
        const now = object === undefined ? "it does not exist" : JSON.stringify(object, undefined, 2);
        throw new Error(`${what} is not as expected: ${now}\n${this.#picture(error)}`, { cause: error });
      }
      // The write that was begun must be done before it can be seen.
      await this.clock.settle();
    }
  }

  async #withPicture<T>(work: () => Promise<T>): Promise<T> {
    const [failure] = this.#parts.failures;
    if (failure !== undefined) throw new Error("something failed in the background", { cause: failure });
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("virtual clock")) {
        throw new Error(this.#picture(error), { cause: error });
      }
      throw error;
    }
  }

  #picture(error: unknown): string {
    const { processes, trace } = this.#parts;
    const lives = processes.map(({ name, lives: count }) => `${name} (life ${count})`).join(", ");
    const clock = messageOf(error);
    return `${clock}\nprocesses: ${lives}\n${trace.picture()}`;
  }
}

function millisecondsOf(time: number | string): number {
  return typeof time === "number" ? time : parseDurationMs(time);
}
