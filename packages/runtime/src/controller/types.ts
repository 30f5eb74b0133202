import type { ApplyObject, Client } from "@kedge/client";
import type { Clock, DeepReadonly, Kind, Logger, ObjectKey, Random, Scope } from "@kedge/machinery";
import type { EventRecorder } from "../events/types.ts";
import type { AnyIndex, Cached, InformerOptions, Informers, Reader } from "../informer/types.ts";
import type { QueueMetricsProvider } from "../queue/queue-metrics.ts";
import type { BackoffOptions } from "../queue/rate-limiting-queue.ts";
import type { Cause } from "../queue/types.ts";
import type { Right } from "./rights.ts";
import type { Source } from "./run-source.ts";

/** What a controller does, and what makes it look. Made by `defineController`, run by a manager. */
export interface Controller {
  /** In logs, metrics and the field manager's name. Kebab case. */
  readonly name: string;
  /** What it asks of the API server by what it is for, owns and watches. */
  readonly rights: readonly Right[];
  /** Starts workers when the caches are full; resolves when the signal aborted and the last run has ended. */
  run(host: ControllerHost, signal: AbortSignal): Promise<void>;
  /** Asks for the informers that it needs, before they start. */
  prepare(host: ControllerHost): void;
}

/** What a manager gives its controllers. */
export interface ControllerHost {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  /** At which level the writes of runs are logged. Default: info. */
  readonly logWrites?: "info" | "debug" | undefined;
  /** Default: the queues' metrics are not kept. */
  readonly queueMetrics?: QueueMetricsProvider;
}

/** How a controller is made. */
export interface ControllerOptions<T, S extends Scope> {
  readonly name: string;
  /** The kind whose objects are reconciled. */
  readonly for: Kind<T, S>;
  /** Which of them. */
  readonly select?: InformerOptions;
  /**
   * Which changes of an object matter. Default: new or gone, another generation (for kinds without one: anything but
   * status), labels, annotations, finalizers, or a deletion that began.
   */
  readonly when?: (object: Cached<T>, previous: Cached<T> | undefined) => boolean;
  /**
   * Kinds whose objects are controlled by ours: every change of a child is a reason to look at its owner. Of a bare kind
   * only what `run.apply` has made is kept in memory: children get the label `app.kubernetes.io/managed-by` with the
   * controller's name. `owns(Kind, select)` keeps others.
   */
  readonly owns?: readonly (Kind | Owns)[];
  /** Other kinds, and whom of ours they concern. */
  readonly watches?: readonly Watches[];
  /** What else objects of these kinds are found by: made by `defineIndex()`, for `run.read(Kind).byIndex`. */
  readonly indexes?: readonly AnyIndex[];
  /** What else knows when to look at an object: `[async (enqueue, signal) => …]`. */
  readonly sources?: readonly Source[];
  /** The name in its events. Default: the manager's. */
  readonly reporter?: string;
  /** How many objects at a time. Default 4. */
  readonly workers?: number;
  /** How long an object waits after failures. Default: 5 ms, doubled up to 1000 s. */
  readonly backoff?: BackoffOptions;
  /** Milliseconds for one run; then its signal aborts and it counts as failed. Default 120 000. */
  readonly timeout?: number;
  readonly reconcile: (context: ReconcileContext<T>) => Promise<ReconcileResult | undefined>;
}

/** A kind whose objects are controlled by ours. Made by `owns()`. */
export interface Owns {
  readonly kind: Kind;
  /** Which of them are kept in memory. Absent: what carries the controller's label. */
  readonly select: InformerOptions | undefined;
  /** See `optional()`. */
  readonly isOptional?: boolean;
}

/** A kind that is watched on behalf of another. Made by `watches()`, which keeps the types. */
export interface Watches {
  readonly kind: Kind;
  readonly select?: InformerOptions | undefined;
  /** See `optional()`. */
  readonly isOptional?: boolean;
  /** Which of our objects a change concerns. `previous` is set for updates. */
  readonly map: (object: never, previous: never, host: ControllerHost) => readonly ObjectKey[];
}

/** One run. Throwing retries with back-off; a `TerminalError` waits for the next change instead. */
export interface ReconcileContext<T> {
  readonly key: ObjectKey;
  /** The object as the cache knows it; undefined when it is gone. */
  readonly object: Cached<T> | undefined;
  /** Why this run. */
  readonly causes: readonly Cause[];
  readonly signal: AbortSignal;
  /** Calls made through it are seen by the caches at once, and logged with the run's number. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Has the controller's name, the key and the run's id. */
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** The cache of a kind that this controller `for`s, `owns` or `watches`; throws for others. */
  read<K, KS extends Scope, Sub extends string>(kind: Kind<K, KS, Sub>): Reader<K>;
  /**
   * Server-side apply as this controller (field manager: its name), forced. Sends nothing when the cache shows that it
   * would change nothing. With `owner`, it is a child: made by us, or found to be ours. Anything else of that name is left
   * alone and answered with an `OwnershipError`, unless its annotation `kedge.dev/adopt-by: <Kind>/<name>` consents.
   */
  apply<K, KS extends Scope, Sub extends string>(
    kind: Kind<K, KS, Sub>,
    desired: DeepReadonly<ApplyObject<K>>,
    options?: ApplyChildOptions,
  ): Promise<Cached<K>>;
}

/** The parts of a run that the helpers for finalizers and status need. */
export type WritingContext = Pick<ReconcileContext<unknown>, "client" | "read" | "signal">;

/** How a child is applied. */
export interface ApplyChildOptions {
  /** Becomes the controlling owner. */
  readonly owner?: Parameters<EventRecorder["record"]>[0];
  /**
   * For children that must outlive their owner, such as volumes: they get no owner reference. This label, with the
   * owner's name as its value, says whose they are.
   */
  readonly outlivesBy?: string;
}

/** What a run asks for. Nothing: the next change brings it back. */
export interface ReconcileResult {
  /** Milliseconds after which to look again. */
  readonly requeueAfter?: number;
}

/** Where a controller counts what it does. */
export interface ControllerMetrics {
  reconciled(
    controller: string,
    result: "success" | "error" | "timeout" | "requeue_after" | "terminal",
    ms: number,
  ): void;
  workers(controller: string, active: number, most: number): void;
}
