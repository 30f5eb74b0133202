import { hash } from "node:crypto";
import type { ApiRequest, Clock } from "@kedge/machinery";

/** One write that reached the server. */
export interface WriteRecord {
  /** Milliseconds since the start. */
  readonly at: number;
  /** Whose it was. */
  readonly process: string;
  readonly method: string;
  readonly path: string;
  /** Of the body: equal for equal bodies. */
  readonly digest: string;
  /** What the server answered; undefined while it has not. */
  status: number | undefined;
}

/** A request that is under way. */
interface Pending {
  readonly process: string;
  readonly what: string;
  readonly since: number;
}

/** What goes to the server: all writes in order, and what is under way. */
export class Trace {
  readonly writes: WriteRecord[] = [];
  /** Grows with every write that changes more than a heartbeat or an event. */
  changes = 0;
  readonly #clock: Clock;
  readonly #pending = new Set<Pending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a write that is about to reach the server. */
  write(process: string, request: ApiRequest): WriteRecord {
    const path = pathOf(request);
    if (!isNoise(path)) this.changes++;
    const at = this.#clock.monotonic();
    const digest = digestOf(request.body);
    const record: WriteRecord = { at, process, method: request.method, path, digest, status: undefined };
    this.writes.push(record);
    return record;
  }

  /** Follows a request to its answer, for the picture of what waits. */
  begin(process: string, request: ApiRequest): Disposable {
    const what = `${request.method} ${request.path}`;
    const pending = { process, what, since: this.#clock.monotonic() };
    this.#pending.add(pending);
    return { [Symbol.dispose]: () => this.#pending.delete(pending) };
  }

  /** The requests under way, and the last writes. */
  picture(): string {
    const now = this.#clock.monotonic();
    const pending = Array.from(
      this.#pending,
      ({ process, what, since }) => `  ${process} ${what} (${now - since} ms)`,
    );
    const last = this.writes
      .slice(-mostShown)
      .map(
        ({ at, process, method, path, status }) => `  ${at} ms ${process} ${method} ${path} ${status ?? "…"}`,
      );
    return [
      `requests under way: ${pending.length}`,
      ...pending.slice(0, mostShown),
      `writes so far: ${this.writes.length}, the last of them:`,
      ...last,
    ].join("\n");
  }
}

const mostShown = 20;

/** Heartbeats of nodes, and events: they say nothing about the objects. */
function isNoise(path: string): boolean {
  return /\/(?:leases|events)(?:\/|$)|\/nodes\/[^/]+\/status$/u.test(path);
}

function pathOf({ path }: ApiRequest): string {
  return path.split("?", 1)[0] ?? path;
}

function digestOf(body: ApiRequest["body"]): string {
  return hash("sha1", body ?? "").slice(0, 12);
}
