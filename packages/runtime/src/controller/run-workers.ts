import { messageOf, type Clock, type Logger } from "@kedge/machinery";
import type { RateLimitingQueue, WorkItem } from "../queue/types.ts";
import { expectation } from "./expectation.ts";
import { isOutage, OutagePause } from "./outage.ts";
import { OverdueRuns } from "./overdue-runs.ts";
import { TerminalError } from "./terminal-error.ts";
import { TimedRun } from "./timed-run.ts";
import type { ControllerMetrics, ReconcileResult } from "./types.ts";

/** What works a queue off. */
export interface WorkersOptions {
  readonly controller: string;
  readonly queue: RateLimitingQueue;
  readonly workers: number;
  /** Milliseconds for one run. */
  readonly timeout: number;
  readonly reconcile: (item: WorkItem, run: Run) => Promise<ReconcileResult | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
}

/** What one run is given beside its item; made when it is asked for: most runs find nothing to do. */
export interface Run {
  readonly signal: AbortSignal;
  /** Has the controller, the key and the run's number: all lines of one run have the same. */
  readonly logger: Logger;
}

/** A run that goes on for this long after its signal was aborted holds its key, but not its worker. */
const patienceMs = 10_000;

/** Runs the workers until the signal aborts, and resolves when the last run has ended. */
export async function runWorkers(options: WorkersOptions, signal: AbortSignal): Promise<void> {
  const { queue, workers } = options;
  const stop = (): void => queue.shutDown();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const pool = new Workers(options, signal);
  await Promise.all(Array.from({ length: workers }, () => pool.work()));
  await pool.idle();
}

class Workers {
  readonly #options: WorkersOptions;
  readonly #signal: AbortSignal;
  readonly #runs = new Set<Promise<void>>();
  readonly #overdue: OverdueRuns;
  readonly #outage: OutagePause;
  #begun = 0;
  /** By key: the expected failure that was told last. It is not told again for as long as it stays the same. */
  readonly #told = new Map<string, string>();

  constructor(options: WorkersOptions, signal: AbortSignal) {
    const { clock, logger, controller, timeout } = options;
    this.#options = options;
    this.#signal = signal;
    this.#outage = new OutagePause(clock);
    this.#overdue = new OverdueRuns(clock, timeout + patienceMs, (key) => {
      logger.error("A run does not end although its signal was aborted; its worker goes on without it", {
        controller,
        key,
      });
    });
    this.#count();
  }

  /** One worker. */
  async work(): Promise<void> {
    const { queue } = this.#options;
    const next = async (): Promise<WorkItem | undefined> => {
      if (this.#outage.isOn) await this.#outage.over(this.#signal);
      return queue.get();
    };
    for (let item = await next(); item !== undefined; item = await next()) {
      const run = this.#run(item).finally(() => {
        this.#runs.delete(run);
        this.#count();
      });
      this.#runs.add(run);
      this.#count();
      await this.#overdue.endOf(run, item.key);
    }
  }

  /** Waits for the runs that their workers have left. */
  async idle(): Promise<void> {
    await Promise.all(this.#runs);
    this.#overdue.stop();
  }

  #count(): void {
    const { metrics, controller, workers } = this.#options;
    metrics.workers(controller, this.#runs.size, workers);
  }

  async #run(item: WorkItem): Promise<void> {
    const { queue, clock, timeout, reconcile, controller, logger } = this.#options;
    this.#begun++;
    using run = new TimedRun({
      clock,
      timeout,
      parent: this.#signal,
      logger: logger.with({ controller, key: item.key, run: this.#begun }),
    });
    run.logger.debug("A run begins", { priority: item.priority, causes: item.causes });
    try {
      const result = await reconcile(item, run);
      run.throwIfOver();
      this.#succeeded(item, result, run.begin);
    } catch (error) {
      this.#failed(item, error, run);
    } finally {
      queue.done(item.key);
    }
  }

  #succeeded(item: WorkItem, result: ReconcileResult | undefined, begin: number): void {
    const { queue, controller } = this.#options;
    const requeueAfter = result?.requeueAfter ?? 0;
    this.#outage.ended();
    this.#told.delete(item.key);
    queue.forget(item.key);
    if (requeueAfter > 0) {
      queue.addAfter(item.key, requeueAfter, {
        priority: "resync",
        source: controller,
        reason: "requeueAfter",
      });
    }
    this.#measure(requeueAfter > 0 ? "requeue_after" : "success", begin);
  }

  #failed(item: WorkItem, error: unknown, run: TimedRun): void {
    const { queue, controller } = this.#options;
    const { logger } = run;
    if (this.#signal.aborted) {
      logger.debug("A run was cut off by the end", { error });
      return;
    }
    if (error instanceof TerminalError) {
      queue.forget(item.key);
      this.#told.delete(item.key);
      logger.error("A run failed; it is not tried again until something changes", { error });
      this.#measure("terminal", run.begin);
      return;
    }
    const isTimeout = run.isLate;
    this.#measure(isTimeout ? "timeout" : "error", run.begin);
    const trigger = { priority: "retry", source: controller, reason: messageOf(error) } as const;
    if (!isTimeout && isOutage(error)) {
      // Not the object's failure: it does not wait longer for each time, and all wait together.
      const level = this.#outage.isNew ? "warn" : "debug";
      const retryMs = Math.round(this.#outage.failed());
      queue.addAfter(item.key, retryMs, trigger);
      logger[level]("The API server does not answer; the run is tried again", {
        why: messageOf(error),
        retryMs,
      });
      return;
    }
    queue.addRateLimited(item.key, trigger);
    const failures = queue.failures(item.key);
    const expected = expectation(error);
    if (expected === undefined) {
      logger.error("A run failed; it is tried again", { error, failures, causes: item.causes });
    } else {
      const why = messageOf(error);
      const level = this.#told.get(item.key) === why ? "debug" : expected.level;
      this.#told.set(item.key, why);
      logger[level](`${expected.what}; the run is tried again`, { why, failures });
    }
  }

  #measure(result: Parameters<ControllerMetrics["reconciled"]>[1], begin: number): void {
    const { metrics, controller, clock } = this.#options;
    metrics.reconciled(controller, result, clock.monotonic() - begin);
  }
}
