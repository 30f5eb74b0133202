import type { Client } from "@kedge/client";
import { forkRandom, silentLogger, type Clock, type Logger } from "@kedge/machinery";
import type { Controller, ControllerHost } from "../controller/types.ts";
import { createEventRecorder } from "../events/create-event-recorder.ts";
import type { EventRecorder } from "../events/types.ts";
import { createInformers } from "../informer/create-informers.ts";
import { Switch } from "../informer/switch.ts";
import type { Informers } from "../informer/types.ts";
import { fenceTransport } from "../leadership/fence-transport.ts";
import { Leadership } from "../leadership/leadership.ts";
import { deadWatches } from "./dead-watches.ts";
import { answerHealth, type HealthCheck } from "./health.ts";
import { serveHttp, type HttpServer } from "./http-server.ts";
import type { ManagerGauge } from "./gauge-metrics.ts";
import { keptMetrics, noMetrics, type ManagerMetrics } from "./manager-metrics.ts";
import { RunningParts } from "./running-parts.ts";
import type { Manager, ManagerOptions } from "./types.ts";

/** How long the parts may take to end; after that they are left behind. */
const graceMs = 30_000;
/** How long the last events may take to be written. */
const flushMs = 5000;
/** How often it is told what is waited for. */
const patienceMs = 10_000;

/** A manager: shared informers, a client whose writes they see, and what runs on them. */
export function createManager(options: ManagerOptions): Manager {
  return new ProcessManager(options);
}

class ProcessManager implements Manager {
  readonly client: Client;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: ManagerMetrics;
  readonly #host: ControllerHost;
  readonly #leadership: Leadership | undefined;
  readonly #controllers: Controller[] = [];
  readonly #tasks = new Map<string, (signal: AbortSignal) => Promise<void>>();
  readonly #checks = new Map<string, HealthCheck>();
  /** Ends the recorder, which outlives all that records. */
  readonly #eventsEnd = new AbortController();
  readonly #ready = new Switch();
  #hasRun = false;
  #health: HttpServer | undefined;
  #metricsServer: HttpServer | undefined;

  constructor(options: ManagerOptions) {
    const { clock, random, name, namespaces } = options;
    const logger = options.logger ?? silentLogger;
    this.#options = options;
    this.#metrics = options.metrics === "none" ? noMetrics : keptMetrics();
    const { queues } = this.#metrics;
    this.#clock = clock;
    this.#logger = logger;
    const { client, leaderElection: election } = options;
    this.#leadership =
      election &&
      new Leadership({ election, client, clock, random: forkRandom(random, "leadership"), logger });
    this.informers = createInformers({
      client,
      clock,
      random: forkRandom(random, "informers"),
      logger,
      namespaces,
    });
    this.client = this.informers.seeWritesOf(this.#fenced(client));
    this.events = createEventRecorder({
      client,
      clock,
      random: forkRandom(random, "events"),
      logger,
      component: name,
      signal: this.#eventsEnd.signal,
    });
    this.#host = {
      client: this.client,
      informers: this.informers,
      events: this.events,
      clock,
      random,
      logger,
      metrics: this.#metrics.controllers,
      logWrites: options.logWrites,
      ...(queues !== undefined && { queueMetrics: queues }),
    };
    this.#checks.set("caches", () => this.#unsynced());
    this.#checks.set("watches", () => deadWatches(this.informers.failing(), clock.monotonic()));
    // Who stands by is ready to go on: a Deployment's other replicas would never be, otherwise.
    this.#checks.set("running", () =>
      this.#ready.isOn || (this.#hasRun && this.#leadership?.isLeader === false) ? undefined : "not started",
    );
  }

  get healthAddress(): { readonly host: string; readonly port: number } | undefined {
    return addressOf(this.#health);
  }

  get metricsAddress(): { readonly host: string; readonly port: number } | undefined {
    return addressOf(this.#metricsServer);
  }

  add(controller: Controller): void {
    this.#mustNotRun(`add(${controller.name})`);
    if (this.#controllers.some(({ name }) => name === controller.name)) {
      throw new Error(`manager: add(${controller.name}): there is a controller of this name already`);
    }
    this.#controllers.push(controller);
    this.#metrics.controllers.declare(controller.name);
    controller.prepare(this.#host);
  }

  addTask(name: string, run: (signal: AbortSignal) => Promise<void>): void {
    this.#mustNotRun(`addTask(${name})`);
    if (this.#tasks.has(name))
      throw new Error(`manager: addTask(${name}): there is a task of this name already`);
    this.#tasks.set(name, run);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  addGauge(gauge: ManagerGauge): void {
    this.#metrics.addGauge(gauge);
  }

  metricsText(): Promise<string> {
    return this.#metrics.text();
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#ready.wait(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#mustNotRun("run");
    this.#hasRun = true;
    try {
      await this.#serve();
      await this.#runParts(signal);
    } finally {
      this.#ready.fail(new Error(`manager ${this.#options.name}: it has stopped`));
      await this.#flushEvents();
      await Promise.all([this.#health?.close(), this.#metricsServer?.close()]);
    }
  }

  /** First of all, so that probes see a process that is alive and not ready. */
  async #serve(): Promise<void> {
    const { health, metrics } = this.#options;
    if (health !== undefined) {
      this.#health = await serveHttp(health, this.#clock, (url) => answerHealth(url, this.#checks));
    }
    if (metrics === undefined || metrics === "none") return;
    const { contentType } = this.#metrics;
    this.#metricsServer = await serveHttp(metrics, this.#clock, async (url) =>
      url.pathname === "/metrics" ? { status: 200, contentType, body: await this.metricsText() } : undefined,
    );
  }

  /** Caches first, then what reads them; in the end the other way round. */
  async #runParts(signal: AbortSignal): Promise<void> {
    const caches = new RunningParts(this.#clock, this.#logger);
    const parts = new RunningParts(this.#clock, this.#logger);
    const stopped = Promise.race([aborted(signal), caches.failed, parts.failed]);
    const leadership = this.#leadership;
    try {
      caches.start("informers", (inner) => this.informers.run(inner));
      if (leadership !== undefined) {
        // Among the caches, so that it is given back when nothing runs any more that writes.
        caches.start("leader election", (inner) => leadership.run(inner));
        await Promise.race([leadership.won(signal).catch(() => undefined), stopped]);
        if (signal.aborted) return;
      }
      // Each waits for its own caches: a kind that cannot be read holds nobody up who does not look at it.
      for (const controller of this.#controllers) {
        parts.start(`controller ${controller.name}`, (inner) => controller.run(this.#host, inner));
      }
      await Promise.race([this.#synced(parts.signal), stopped]);
      if (!signal.aborted) this.#startTasks(parts);
      await stopped;
    } finally {
      const isDeposed = leadership?.lost.aborted === true;
      const end = this.#clock.monotonic() + (isDeposed ? 0 : graceMs);
      await parts.stop(end);
      await caches.stop(end);
    }
  }

  #fenced(client: Client): Client {
    const [fence, election] = [this.#leadership, this.#options.leaderElection];
    if (fence === undefined || election === undefined) return client;
    return client.through((transport) => fenceTransport(transport, { fence, election, clock: this.#clock }));
  }

  #startTasks(parts: RunningParts): void {
    for (const [name, run] of this.#tasks) parts.start(`task ${name}`, run);
    this.#ready.turnOn();
    this.#logger.info("The manager runs", { manager: this.#options.name });
  }

  /** A kind that cannot be read holds up who looks at it: say which. */
  async #synced(signal: AbortSignal): Promise<void> {
    const tell = (): void => {
      this.#logger.warn("Waiting for caches to fill", { informers: this.informers.unsynced() });
      timer = this.#clock.timer(patienceMs, tell);
    };
    let timer = this.#clock.timer(patienceMs, tell);
    try {
      await this.informers.synced(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      timer.cancel();
    }
  }

  async #flushEvents(): Promise<void> {
    const timer = this.#clock.timer(flushMs, () => this.#eventsEnd.abort());
    await this.events.flush();
    timer.cancel();
    this.#eventsEnd.abort();
  }

  #unsynced(): string | undefined {
    const names = this.informers.unsynced();
    return names.length === 0 ? undefined : `not filled: ${names.join(", ")}`;
  }

  #mustNotRun(call: string): void {
    if (this.#hasRun) throw new Error(`manager: ${call}: it runs already, or has; a manager runs once`);
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function addressOf(
  server: HttpServer | undefined,
): { readonly host: string; readonly port: number } | undefined {
  return server === undefined ? undefined : { host: server.host, port: server.port };
}
