import type { Client } from "@kedge/client";
import { inBackground, seededRandom, type Clock, type ObjectKey, type Random } from "@kedge/machinery";
import type { SimulatedRun } from "@kedge/node";
import type { Address, Engine, Login, RedisServer } from "@kedge/redis-operator/engine";
import type { OperatorLife, TestPrograms, TestWorld } from "@kedge/testkit";
import { Admissions } from "./admissions.ts";
import { ModelConnection } from "./model-connection.ts";
import { copyDisk, emptyDisk, type ModelDisk, type ModelHistory, type ModelUser } from "./model-disk.ts";
import { ModelProcess } from "./model-process.ts";
import {
  hostOf,
  namesOfPod,
  planStart,
  systemSecret,
  volumeOf,
  type PodNames,
  type SeenSecret,
} from "./start-server.ts";
import { watchOver } from "./watch-over.ts";

/**
 * Redis in virtual time, in the containers of the simulated node: a process loses its memory when it ends, a volume keeps
 * what the configuration says, replicas are a little behind. The operator reaches it by `engineFor`, and starts it by the
 * decisions of its own start script, which are written down a second time here (`start-server.ts`, `watch-over.ts`).
 */
export class RedisModel implements TestPrograms {
  /** What has been primary, and whether it was allowed to. */
  readonly admissions: Admissions;
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #random: Random;
  readonly #processes = new Map<string, ModelProcess>();
  /** By the uid of their claims. */
  readonly #disks = new Map<string, ModelDisk>();
  readonly #connections = new Set<ModelConnection>();
  /** `operator` or the key of a pod, on both sides. */
  readonly #cuts = new Set<string>();
  readonly #onFailure: (error: unknown) => void;
  /** What pods see of Secrets, by instance, where that is not what there is. */
  readonly #late = new Map<string, SeenSecret>();

  constructor({ clock, client, seed, from, onFailure }: TestWorld) {
    this.#clock = clock;
    this.#client = client;
    this.#random = seededRandom(`redis ${seed}`);
    this.#onFailure = onFailure;
    this.admissions = new Admissions(() => this.processes);
    if (from instanceof ModelSnapshot) this.#goOn(from);
  }

  /** Those that run. */
  get processes(): readonly ModelProcess[] {
    return [...this.#processes.values()].filter(({ isAlive }) => isAlive);
  }

  /** The server in a pod; undefined while none runs. */
  server({ namespace, name }: ObjectKey): ModelProcess | undefined {
    return this.processes.find(({ options }) => options.key === `${namespace}/${name}`);
  }

  /** The way of one life of an operator to all servers. */
  engineFor(life: OperatorLife): Engine {
    const random = seededRandom(`engine ${life.number}`);
    return {
      server: (
        address: Address,
        login?: Login,
        options?: { readonly isOneConnection?: boolean },
      ): RedisServer =>
        new ModelConnection({
          clock: this.#clock,
          random,
          life,
          address,
          login,
          isOneConnection: options?.isOneConnection ?? false,
          find: (host) => this.#findFor("operator", host),
          all: this.#connections,
        }),
    };
  }

  /** Nothing passes between two, of which each is a pod (`default/cache-0`) or `operator`. */
  cut(one: string, other: string): void {
    this.#cuts.add(cutName(one, other));
  }

  /** From now on the pods of an instance see the Secret of the system as it is: their nodes are late. */
  async holdSecret({ namespace = "", name }: ObjectKey): Promise<void> {
    const names = { namespace, instance: name };
    this.#late.set(lateName(names), await systemSecret(this.#client, names));
  }

  /** All is well again between all. */
  heal(): void {
    this.#cuts.clear();
  }

  /** What was on the volume of a pod is gone, and what is in the memory of its server with it. */
  loseDisk(pod: ObjectKey): void {
    const process = this.server(pod);
    const [claim] = [...this.#disks].find(([, disk]) => disk === process?.options.disk) ?? [];
    process?.end(false);
    if (claim !== undefined) this.#disks.set(claim, emptyDisk());
  }

  started(run: SimulatedRun): void {
    if (run.container !== "redis") return;
    inBackground(this.#start(run), this.#onFailure);
  }

  ended(id: string, exitCode: number): void {
    this.#processes.get(id)?.end(exitCode === terminated);
  }

  /** Readiness as the operator's probe sees it, which is a script in the container. */
  probe(id: string, kind: string): boolean | undefined {
    const process = this.#processes.get(id);
    if (process === undefined) return kind === "readiness" ? false : undefined;
    if (!process.isAlive || process.isPaused) return false;
    if (kind !== "readiness") return true;
    if (process.isLoading) return false;
    return process.isPrimary || process.isLinked || process.wasSynced;
  }

  snapshot(): ModelSnapshot {
    const disks = new Map([...this.#disks].map(([claim, disk]) => [claim, copyDisk(disk)]));
    const claimOf = (disk: ModelDisk): string => [...this.#disks].find(([, one]) => one === disk)?.[0] ?? "";
    const servers = this.processes.map((process) => ({
      id: process.options.id,
      pod: process.pod,
      key: process.options.key,
      address: process.options.address,
      claim: claimOf(process.options.disk),
      users: new Map(process.users),
      config: new Map(process.config),
      data: new Map(process.data),
      history: process.history,
      follow: process.upstream?.host,
    }));
    return new ModelSnapshot(disks, servers, this.admissions.copy());
  }

  async #start(run: SimulatedRun): Promise<void> {
    const claim = await volumeOf(this.#client, run);
    const disk = this.#disks.get(claim) ?? emptyDisk();
    this.#disks.set(claim, disk);
    const names = namesOfPod(run);
    const secret = this.#late.get(lateName(names)) ?? (await systemSecret(this.#client, names));
    const { users, config, follow, isHeld } = await planStart(this.#client, run, { disk, secret });
    const process = this.#run({
      id: run.id,
      pod: run.pod.metadata.name,
      key: `${names.namespace}/${run.pod.metadata.name}`,
      address: run.address,
      disk,
      users,
      config,
      follow,
    });
    if (isHeld)
      await watchOver(process, {
        client: this.#client,
        clock: this.#clock,
        names,
        find: (n) => this.#peer(process, hostOf(names, n)),
      });
  }

  #run(
    options: Omit<ConstructorParameters<typeof ModelProcess>[0], "clock" | "random" | "find" | "onRole">,
  ): ModelProcess {
    const process: ModelProcess = new ModelProcess({
      ...options,
      clock: this.#clock,
      random: this.#random,
      find: (host) => this.#peer(process, host),
      onRole: (changed) => this.admissions.look(changed),
    });
    this.#processes.set(options.id, process);
    return process;
  }

  #peer(from: ModelProcess, host: string): ModelProcess | undefined {
    const found = this.#findFor(from.options.key, host);
    return typeof found === "string" || found.isPaused || from.isPaused ? undefined : found;
  }

  #findFor(from: string, host: string): ModelProcess | "silent" | "refused" {
    if (host === "127.0.0.1") return "refused";
    const [pod = ""] = host.split(".", 1);
    const found = this.processes.findLast(
      ({ options }) => options.address === host || (host.endsWith(".svc") && options.pod === pod),
    );
    // Somebody else may have its address by now; nobody answers for a machine that is not there.
    if (found === undefined) return "refused";
    return this.#cuts.has(cutName(from, found.options.key)) ? "silent" : found;
  }

  #goOn({ disks, servers, admissions }: ModelSnapshot): void {
    for (const [claim, disk] of disks) this.#disks.set(claim, copyDisk(disk));
    for (const { claim, data, history, ...server } of servers) {
      const disk = this.#disks.get(claim) ?? emptyDisk();
      this.#run({ ...server, disk, resumed: { data, history } });
    }
    this.admissions.goOn(admissions);
  }
}

/** Where a model was. */
export class ModelSnapshot {
  readonly disks: ReadonlyMap<string, ModelDisk>;
  readonly servers: readonly ServerSnapshot[];
  readonly admissions: ReadonlyMap<number, string>;

  constructor(
    disks: ReadonlyMap<string, ModelDisk>,
    servers: readonly ServerSnapshot[],
    admissions: ReadonlyMap<number, string>,
  ) {
    this.disks = disks;
    this.servers = servers;
    this.admissions = admissions;
  }
}

interface ServerSnapshot {
  readonly id: string;
  readonly pod: string;
  readonly key: string;
  readonly address: string;
  readonly claim: string;
  readonly users: ReadonlyMap<string, ModelUser>;
  readonly config: ReadonlyMap<string, string>;
  readonly data: ReadonlyMap<string, string>;
  readonly history: ModelHistory;
  readonly follow: string | undefined;
}

/** 128 and the number of SIGTERM. */
const terminated = 143;

function lateName({ namespace, instance }: Omit<PodNames, "ordinal">): string {
  return `${namespace}/${instance}`;
}

function cutName(one: string, other: string): string {
  return [one, other].toSorted().join(" | ");
}
