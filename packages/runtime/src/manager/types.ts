import type { Client } from "@kedge/client";
import type { Clock, Logger, Random } from "@kedge/machinery";
import type { Controller } from "../controller/types.ts";
import type { EventRecorder } from "../events/types.ts";
import type { ManagerGauge } from "./gauge-metrics.ts";
import type { Informers } from "../informer/types.ts";
import type { LeaderElection } from "../leadership/types.ts";

/** What runs controllers. */
export interface Manager {
  /** Writes through it are seen by the caches at once. */
  readonly client: Client;
  readonly informers: Informers;
  readonly events: EventRecorder;
  /** Before `run`. */
  add(controller: Controller): void;
  /**
   * Something else that runs beside the controllers, from when all caches are full until the signal aborts. Its failure
   * stops the manager.
   */
  addTask(name: string, run: (signal: AbortSignal) => Promise<void>): void;
  /** A condition of `/readyz`: undefined when it holds, else why not. */
  addReadyCheck(name: string, check: () => string | undefined): void;
  /** A metric of the operator's own; its name is nobody else's. */
  addGauge(gauge: ManagerGauge): void;
  /** Prometheus' text of all metrics. */
  metricsText(): Promise<string>;
  /** Where health and metrics are served, once `run` has begun and if asked for. */
  readonly healthAddress: { readonly host: string; readonly port: number } | undefined;
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined;
  /** Resolves when the caches are full and the workers run; with leader election not before we lead. */
  ready(signal?: AbortSignal): Promise<void>;
  /**
   * Runs until the signal aborts, then stops gracefully (30 s at most) and resolves. Rejects when a part failed, and with
   * a `LeadershipError` at once when leadership was lost: the process should end.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** How a manager is made. */
export interface ManagerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** At which level the writes of runs are logged, one line each. Default: info. */
  readonly logWrites?: "info" | "debug";
  /** In events as the reporting component, and in metrics. */
  readonly name: string;
  /**
   * Run controllers and tasks only while we lead. Caches are full and `/readyz` holds before that, so that a standby goes
   * on at once. Absent: nobody else is asked.
   */
  readonly leaderElection?: LeaderElection | undefined;
  /** Look only at these namespaces. Absent: all. */
  readonly namespaces?: readonly string[];
  /** `/healthz`, `/readyz`, `/livez`. Absent: not served. Port 0: any free one. */
  readonly health?: Listen;
  /** `/metrics`. Absent: not served, only kept for `metricsText`. "none": not kept either, which saves 4 MiB. */
  readonly metrics?: Listen | "none";
}

/** Where to listen. Without a host on all addresses, as probes of a pod come from its node. Port 0: any free one. */
export interface Listen {
  readonly port: number;
  readonly host?: string;
}
