import type { createApiServer } from "@kedge/apiserver";
import type { Client } from "@kedge/client";
import type { Clock, DeepReadonly, Draft, Kind, KeyIn, Logger, Scope, VirtualClock } from "@kedge/machinery";
import type { MachineState, SimulatedAgent, SimulatedPrograms } from "@kedge/node";
import type { Controller, Right } from "@kedge/runtime";
import type { DefinedKind } from "@kedge/schema";
import type { Store } from "@kedge/store";
import type { ClusterState } from "./cluster-state.ts";
import type { CrashMoment } from "./faulty-transport.ts";
import type { TestProcess } from "./test-process.ts";
import type { WriteRecord } from "./trace.ts";

/** An operator under test. */
export interface TestOperator {
  /** By which `env.process(name)` finds it. */
  readonly name: string;
  /** Their CRDs are installed before anything runs. */
  readonly kinds: readonly DefinedKind[];
  /** Called for each of its lives: what is restarted has forgotten everything. */
  readonly controllers: (life: OperatorLife) => readonly Controller[];
  /** What they may ask of the server beside what follows from their kinds. A test in which they ask for more fails. */
  readonly rights?: readonly Right[];
}

/** What a life of an operator is given. */
export interface OperatorLife {
  /** 0 for the first. */
  readonly number: number;
  /** Aborts when it is killed. */
  readonly signal: AbortSignal;
  /** The models of programs that it may speak to. */
  readonly programs: TestPrograms | undefined;
  /**
   * Called before something is changed that is not an object of the API server: it counts as a write, and says whether
   * and when the process is to die at it.
   */
  onWrite(what: string): Promise<CrashMoment | undefined>;
  kill(): void;
}

/** Models of programs in the containers of the simulated node. */
export interface TestPrograms extends SimulatedPrograms {
  /** What those of another environment need to go on from here. */
  snapshot(): unknown;
}

/** What models are made with. */
export interface TestWorld {
  readonly clock: Clock;
  /** The user's, without latency. */
  readonly client: Client;
  readonly seed: string;
  /** What `snapshot` gave in another environment. */
  readonly from: unknown;
  /** Called when something of the model fails in the background. */
  readonly onFailure: (error: unknown) => void;
}

/** How a test environment is made. */
export interface TestEnvOptions {
  readonly operators?: readonly TestOperator[];
  /** The same seed gives the same run. Default 1. */
  readonly seed?: number;
  /** Milliseconds that a request of a process takes at most. Default 10. */
  readonly latency?: number;
  /**
   * Milliseconds that each piece of a watch of a process is late at most, or by the processes' names: caches show what
   * was. Default 100.
   */
  readonly lag?: number | Readonly<Record<string, number>>;
  /** Where another environment was: its objects, time and pods. The operators must be of the same kinds. */
  readonly from?: Snapshot;
  /** Whether there is a node. Without one pods stay Pending. Default true. */
  readonly node?: boolean;
  /** Makes models of what runs in containers. Default: nothing does. */
  readonly programs?: (world: TestWorld) => TestPrograms;
  /** What nodes say that their pods use: `/stats/summary`. Default: metrics.k8s.io is not served. */
  readonly nodeStats?: Parameters<typeof createApiServer>[0]["nodeStats"];
  /** Keeps where each timer was set, for the picture of what waits. Costs time. Default false. */
  readonly traces?: boolean;
  /** Hears what controllers and operators say. Default: nobody does. */
  readonly logger?: Logger;
}

/** Where an environment was at a moment. Any number of others can go on from it. */
export interface Snapshot {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly machine: MachineState | undefined;
  /** Of the models of programs. */
  readonly programs: unknown;
}

/** How long to wait. */
export interface WaitOptions {
  /** Virtual milliseconds. Default ten minutes. */
  readonly limit?: number;
}

/**
 * A cluster in this process and in virtual time: the real API server over a store in memory, the real controllers and
 * scheduler, a simulated node, and the operators that a test hands over. `await using` stops it with the test.
 */
export interface TestEnv extends AsyncDisposable {
  readonly clock: VirtualClock;
  /** The user's: without latency. Its calls need time to pass: `env.run(env.client.of(Pod).get(key))`. */
  readonly client: Client;
  /** What can be done to pods. Throws without a node. */
  readonly node: SimulatedAgent;
  /** The models of programs; undefined without any. */
  readonly programs: TestPrograms | undefined;
  /** Every write of every process and of the user, in order. */
  readonly trace: readonly WriteRecord[];
  /** `controllers` (with the scheduler), `node`, or an operator by its name. */
  process(name: string): TestProcess;
  /** What an operator may ask of the server and has not yet: `delete pods`. */
  unusedRights(operator: string): readonly string[];
  /** Lets time pass until the promise is settled. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass: `1000` milliseconds, `"30s"`, `"5m"`, `"1h"`. */
  advance(time: number | string): Promise<void>;
  /** As a user. */
  create<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    object: DeepReadonly<Draft<T>>,
  ): Promise<T>;
  /** The object as soon as the predicate holds of it. Fails with the object and a picture of what waits. */
  eventually<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    key: KeyIn<S>,
    predicate: (object: T) => boolean,
    options?: WaitOptions,
  ): Promise<T>;
  /** Lets time pass until the object is gone. */
  eventuallyGone<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    key: KeyIn<S>,
    options?: WaitOptions,
  ): Promise<void>;
  /** Lets time pass until nobody has written anything for so long (default 30 s); heartbeats and events do not count. */
  untilQuiet(quiet?: number | string, options?: WaitOptions): Promise<void>;
  /** Where it is now, for others to go on from. Best taken when it is quiet. */
  snapshot(): Promise<Snapshot>;
  /** All objects, so that two runs can be compared. */
  state(): Promise<ClusterState>;
  /** Ends everything. */
  stop(): Promise<void>;
}
