import { createHash } from "node:crypto";
import type { Clock, Random, Timer } from "@kedge/machinery";
import type { ModelDisk, ModelHistory, ModelUser } from "./model-disk.ts";

/** What a process of a server is started with. */
export interface ProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Its container: another one for each start. */
  readonly id: string;
  readonly pod: string;
  /** `namespace/name` of the pod. */
  readonly key: string;
  readonly address: string;
  readonly disk: ModelDisk;
  readonly users: ReadonlyMap<string, ModelUser>;
  readonly config: ReadonlyMap<string, string>;
  /** Whom it follows from the beginning. */
  readonly follow: string | undefined;
  /** It was running already: what it had in its memory. */
  readonly resumed?: { readonly data: ReadonlyMap<string, string>; readonly history: ModelHistory };
  /** Finds who listens at a name or an address, seen from this process. */
  readonly find: (host: string) => ModelProcess | undefined;
  /** Told of every change of roles, right after it. */
  readonly onRole: (process: ModelProcess) => void;
}

/** Milliseconds: replicas get a write after this, and look for their primary so often. */
const lagMs = 5;
const reconnectMs = 1000;
const pingMs = 1000;
const pingBytes = 14;
const loadMs = 20;
const replTimeoutMs = 60_000;

interface Write {
  readonly key: string;
  readonly value: string;
}

/** The user that replicas come as. */
const replicationUser = "kedge-replication";

/** A process of a server: what is only in its memory is gone with it. */
export class ModelProcess {
  readonly options: ProcessOptions;
  readonly runId: string;
  readonly startedAt: number;
  readonly config: Map<string, string>;
  data: Map<string, string>;
  history: ModelHistory;
  users: Map<string, ModelUser>;
  /** Whom it follows; undefined for a primary. */
  upstream: { readonly host: string; link: Link | undefined; downSince: number } | undefined;
  readonly followers = new Set<Link>();
  isLoading = true;
  /** It gets no time: SIGSTOP, or a machine that hangs. */
  isPaused = false;
  isAlive = true;
  /** It has been in sync since it started. */
  wasSynced = false;
  /** Redis' own FAILOVER: to whom. */
  failover: { readonly to: ModelProcess; readonly deadline: number; readonly isForced: boolean } | undefined;
  /** CLIENT PAUSE: clients' writes wait until then. */
  heldUntil = 0;
  /** Called when it ends: connections are closed then. */
  readonly onEnd = new Set<() => void>();
  readonly #timers = new Set<Timer>();
  #isBeating = false;

  constructor(options: ProcessOptions) {
    const { random, disk, clock, follow, config } = options;
    this.options = options;
    this.runId = newId(random);
    this.startedAt = clock.monotonic();
    this.users = new Map(options.users);
    this.config = new Map(config);
    const fresh = { id: newId(random), offset: 0, secondId: noId, secondOffset: -1 };
    if (this.hasLog) {
      // Redis does not write down in it where it was.
      this.data = new Map(disk.log ?? disk.snapshot?.data);
      this.history = fresh;
      disk.log = this.data;
    } else {
      this.data = new Map(disk.snapshot?.data);
      this.history = disk.snapshot?.history ?? fresh;
    }
    this.upstream =
      follow === undefined ? undefined : { host: follow, link: undefined, downSince: clock.monotonic() };
    const { resumed } = options;
    if (resumed !== undefined) {
      this.data = new Map(resumed.data);
      this.history = resumed.history;
      if (this.hasLog) disk.log = this.data;
      this.isLoading = false;
      this.wasSynced = true;
    }
    this.after(resumed === undefined ? loadMs : 0, () => {
      this.isLoading = false;
      options.onRole(this);
      this.#connect();
    });
  }

  get pod(): string {
    return this.options.pod;
  }

  get hasLog(): boolean {
    return this.config.get("appendonly") === "yes";
  }

  get isPrimary(): boolean {
    return this.upstream === undefined;
  }

  /** Whether its link to the one that it follows is up. */
  get isLinked(): boolean {
    return this.upstream?.link !== undefined;
  }

  /** Whether somebody may log in. */
  accepts(user: string, password: string): boolean {
    const found = this.users.get(user);
    return found?.isOn === true && (found.hashes === undefined || found.hashes.includes(hashOf(password)));
  }

  /** Whether a client's write would be acknowledged; else what it is answered. */
  whyNoWrites(): string | undefined {
    if (this.isLoading) return "LOADING Redis is loading the dataset in memory";
    if (!this.isPrimary) return "READONLY You can't write against a read only replica.";
    if (this.failover !== undefined || this.now() < this.heldUntil) return "(no answer yet)";
    const wanted = Number(this.config.get("min-replicas-to-write") ?? 0);
    const good = [...this.followers].filter((link) => link.isPassing()).length;
    return good < wanted ? "NOREPLICAS Not enough good replicas to write." : undefined;
  }

  /** A client's write. */
  write(key: string, value: string): void {
    this.data.set(key, value);
    this.#send(key.length + value.length, { key, value });
  }

  /** Becomes a primary, with a history of its own from here on. */
  promote(): void {
    if (this.upstream === undefined) return;
    this.upstream.link?.end();
    this.upstream = undefined;
    const { id, offset } = this.history;
    this.history = { id: newId(this.options.random), offset, secondId: id, secondOffset: offset + 1 };
    // Who followed it asks again.
    this.#dropFollowers();
    this.options.onRole(this);
  }

  /** Follows another one. What it has is kept until it has found that one. */
  follow(host: string): void {
    if (this.upstream?.host === host) return;
    this.failover = undefined;
    this.upstream?.link?.end();
    this.upstream = { host, link: undefined, downSince: this.now() };
    this.#dropFollowers();
    this.options.onRole(this);
    this.after(1, () => this.#connect());
  }

  /** Hands over to a replica when that has all; clients' writes wait meanwhile. */
  handOver(
    to: ModelProcess,
    { timeoutMs, isForced }: { readonly timeoutMs: number; readonly isForced: boolean },
  ): void {
    this.failover = { to, deadline: this.now() + timeoutMs, isForced };
    this.#lookAtFailover();
  }

  /** What is in memory goes. `isAsked`: it was told to, and saves first where it would. */
  end(isAsked: boolean): void {
    if (!this.isAlive) return;
    if (isAsked && !this.hasLog && this.config.get("save") !== "") this.save();
    if (this.hasLog) this.options.disk.log = new Map(this.data);
    this.isAlive = false;
    for (const timer of this.#timers) timer.cancel();
    this.upstream?.link?.end();
    this.#dropFollowers();
    for (const listener of this.onEnd) listener();
  }

  /** Writes a snapshot. */
  save(): void {
    this.options.disk.snapshot = { data: new Map(this.data), history: this.history };
  }

  now(): number {
    return this.options.clock.monotonic();
  }

  /** Does something later, unless the process has ended. */
  after(ms: number, work: () => void): void {
    const timer = this.options.clock.timer(ms, () => {
      this.#timers.delete(timer);
      if (this.isAlive) work();
    });
    this.#timers.add(timer);
  }

  /** A write or a ping of the primary has come over a link. */
  receive(bytes: number, write: Write | undefined): void {
    if (write !== undefined) this.data.set(write.key, write.value);
    this.history = { ...this.history, offset: this.history.offset + bytes };
    // Those behind it get what it gets.
    for (const link of this.followers) link.carry(bytes, write);
  }

  #send(bytes: number, write: Write | undefined): void {
    this.history = { ...this.history, offset: this.history.offset + bytes };
    for (const link of this.followers) link.carry(bytes, write);
  }

  #connect(): void {
    const { upstream } = this;
    if (upstream === undefined || upstream.link !== undefined) return;
    const primary = this.options.find(upstream.host);
    const isTaken =
      primary !== undefined &&
      primary !== this &&
      primary.isAlive &&
      !primary.isLoading &&
      primary.accepts(replicationUser, this.config.get("masterauth") ?? "") &&
      // A replica without a primary gives its data to nobody.
      (primary.isPrimary || primary.isLinked);
    if (!isTaken || this.isPaused) {
      this.after(reconnectMs, () => this.#connect());
      return;
    }
    this.#sync(primary);
    this.wasSynced = true;
    upstream.link = new Link(primary, this, () => {
      if (this.upstream !== upstream) return;
      upstream.link = undefined;
      upstream.downSince = this.now();
      this.#dropFollowers();
      if (this.isAlive) this.after(reconnectMs, () => this.#connect());
    });
  }

  /** By what is missing, when its history is a part of the primary's; else everything, instead of what it has. */
  #sync(primary: ModelProcess): void {
    this.data = new Map(primary.data);
    if (this.hasLog) this.options.disk.log = this.data;
    this.history = primary.history;
  }

  #dropFollowers(): void {
    for (const link of this.followers) link.end();
  }

  /** As long as somebody follows it, a primary says something every second. */
  keepBeating(): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.after(pingMs, () => {
      this.#isBeating = false;
      if (this.followers.size === 0) return;
      if (this.isPrimary && !this.isPaused) this.#send(pingBytes, undefined);
      this.keepBeating();
    });
  }

  #lookAtFailover(): void {
    const { failover } = this;
    if (failover === undefined) return;
    const { to, deadline, isForced } = failover;
    const link = [...this.followers].find(({ replica }) => replica === to);
    const isLate = this.now() > deadline;
    if (link === undefined || (isLate && !isForced)) {
      this.failover = undefined;
      return;
    }
    // One that cannot be reached is tried until somebody says ABORT.
    if (!link.isPassing() || (to.history.offset < this.history.offset && !isLate)) {
      this.after(lagMs, () => this.#lookAtFailover());
      return;
    }
    this.failover = undefined;
    to.promote();
    this.follow(to.options.address);
  }
}

/** Between a primary and a replica. */
export class Link {
  readonly primary: ModelProcess;
  readonly replica: ModelProcess;
  /** Where the replica has said that it is, when it came. */
  readonly announced: string;
  readonly #onEnd: () => void;
  #isOpen = true;
  lastIo: number;

  constructor(primary: ModelProcess, replica: ModelProcess, onEnd: () => void) {
    this.primary = primary;
    this.replica = replica;
    const { config, options } = replica;
    const said = config.get("replica-announce-ip") ?? "";
    this.announced = said === "" ? options.address : said;
    this.#onEnd = onEnd;
    this.lastIo = replica.now();
    primary.followers.add(this);
    primary.keepBeating();
    this.#watch();
  }

  /** Whether what is sent arrives. */
  isPassing(): boolean {
    return (
      this.#isOpen &&
      !this.replica.isPaused &&
      this.replica.options.find(this.primary.options.address) === this.primary
    );
  }

  carry(bytes: number, write: Write | undefined): void {
    this.primary.after(lagMs, () => {
      if (!this.isPassing()) return;
      this.lastIo = this.replica.now();
      this.replica.receive(bytes, write);
    });
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.primary.followers.delete(this);
    this.#onEnd();
  }

  /** A replica that hears nothing gives up in the end. */
  #watch(): void {
    this.replica.after(replTimeoutMs, () => {
      if (!this.#isOpen) return;
      if (this.replica.now() - this.lastIo >= replTimeoutMs) this.end();
      else this.#watch();
    });
  }
}

const noId = "0".repeat(40);

function hashOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

function newId(random: Random): string {
  return Array.from({ length: 40 }, () => random.int(16).toString(16)).join("");
}
