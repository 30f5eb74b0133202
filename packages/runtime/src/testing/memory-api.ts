import { Client, inProcessTransport, type ClientOptions } from "@kedge/client";
import {
  conflict,
  formatTime,
  internalError,
  invalid,
  keyToString,
  notFound,
  parseSelector,
  seededRandom,
  selectorMatches,
  statusOf,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type StoredObject,
} from "@kedge/machinery";
import { LinePipe } from "./line-pipe.ts";
import { MemoryStore, type Change } from "./memory-store.ts";
import { targetOf, type Target } from "./memory-target.ts";
import { writeObject } from "./memory-write.ts";

/** A request as tests look at it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

interface OpenWatch {
  readonly pipe: LinePipe;
  readonly matches: (object: StoredObject) => boolean;
  readonly target: Target;
  /** What is shown of an object. */
  readonly view: (object: StoredObject) => unknown;
  /** Lines that are held back, while it is held. */
  held: unknown[] | undefined;
}

/**
 * A small API server in memory for tests of what speaks to one: list, watch, create, update, patch, apply, delete, with
 * the faults that real ones show. It knows no validation and no defaults. Only for this package, which the test kit is
 * made of; everybody else has `startTestEnv()` of @kedge/testkit.
 */
export class MemoryApi {
  readonly store = new MemoryStore(seededRandom("memory-api"));
  readonly requests: SeenRequest[] = [];
  /** Throws to refuse a request, or resolves when it may go on. */
  onRequest: ((request: SeenRequest) => Promise<void> | void) | undefined;
  /** Called between a write and its answer. */
  onAnswer: ((request: SeenRequest) => Promise<void> | void) | undefined;
  /** Called between the reading of a list and its answer. */
  onList: (() => Promise<void> | void) | undefined;
  /** How watches that ask for initial events are answered; an old server ignores what it does not know. */
  initialEvents: "serve" | "refuse" | "ignore" = "serve";
  readonly #clock: Clock;
  readonly #watches = new Set<OpenWatch>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.store.listen((change) => this.#tell(change));
  }

  client(options: ClientOptions = {}): Client {
    const random = seededRandom("client");
    return new Client(
      inProcessTransport((request) => this.#handle(request)),
      { clock: this.#clock, random, ...options },
    );
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** The writes that have come, as `PATCH /api/v1/…`. */
  get writes(): readonly string[] {
    return this.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path}`);
  }

  /** Breaks all watches, or ends them as a server does in good order. */
  cutWatches(how: "break" | "end" = "break"): void {
    for (const { pipe } of this.#watches)
      pipe.end(how === "break" ? new Error("connection reset") : undefined);
    this.#watches.clear();
  }

  /** Keeps events back from all watches that are open now, until `release`. */
  hold(): void {
    for (const watch of this.#watches) watch.held ??= [];
  }

  release(): void {
    for (const watch of this.#watches) {
      for (const line of watch.held ?? []) watch.pipe.push(line);
      watch.held = undefined;
    }
  }

  /** Sends a bookmark to all watches. */
  bookmark(): void {
    for (const watch of this.#watches) this.#send(watch, bookmarkOf(watch.target, this.store.version, false));
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    const url = new URL(request.path, "http://server");
    const body = request.body === undefined ? "" : Buffer.from(request.body).toString();
    const seen = { method: request.method, path: url.pathname, query: url.searchParams, body };
    this.requests.push(seen);
    try {
      await this.onRequest?.(seen);
      const target = targetOf(url.pathname);
      if (request.method === "GET" && seen.query.get("watch") === "true")
        return this.#watch(target, seen, request);
      const answer = this.#answer(target, seen, request);
      if (request.method !== "GET") await this.onAnswer?.(seen);
      else if (target.name === undefined) await this.onList?.();
      return answer;
    } catch (error) {
      const status = statusOf(error);
      return json(status, status.code ?? 500);
    }
  }

  #answer(target: Target, seen: SeenRequest, request: ApiRequest): ApiResponse {
    if (request.method === "DELETE") return json(this.#delete(target, seen));
    if (request.method !== "GET") {
      const isDry = seen.query.get("dryRun") === "All";
      const agent = textOf(request.headers["user-agent"]).split("/")[0] ?? "";
      return json(
        writeObject(isDry ? new MemoryStore(seededRandom(seen.body)) : this.store, this.#clock, {
          target,
          method: request.method,
          contentType: textOf(request.headers["content-type"]),
          body: JSON.parse(seen.body) as never,
          manager: seen.query.get("fieldManager") ?? agent,
          force: seen.query.get("force") === "true",
        }),
      );
    }
    const view = viewFor(request);
    if (target.name !== undefined) return json(view(this.#find(target)));
    const items = this.store.list(target.collection).filter(matcher(target, seen.query));
    const { apiVersion, kind } = typeOf(target, items[0]);
    return json({
      apiVersion,
      kind: `${kind}List`,
      metadata: { resourceVersion: String(this.store.version) },
      items: items.map(view),
    });
  }

  #find(target: Target): StoredObject {
    const { collection, namespace, name = "" } = target;
    const found = this.store.get(collection, keyToString({ namespace, name }));
    if (found === undefined) throw notFound(target, name);
    return found;
  }

  #delete(target: Target, seen: SeenRequest): unknown {
    const found = this.#find(target);
    const { preconditions } = JSON.parse(seen.body) as { preconditions?: { uid?: string } };
    if (preconditions?.uid !== undefined && preconditions.uid !== found.metadata.uid) {
      throw conflict(target, found.metadata.name);
    }
    if ((found.metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = found.metadata.deletionTimestamp ?? formatTime(this.#clock.now());
      return this.store.put(target.collection, {
        ...found,
        metadata: { ...found.metadata, deletionTimestamp },
      });
    }
    this.store.remove(target.collection, found);
    const { name, uid } = found.metadata;
    return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", details: { name, uid } };
  }

  #watch(target: Target, { query }: SeenRequest, request: ApiRequest): ApiResponse {
    const isInitial = query.get("sendInitialEvents") === "true";
    if (isInitial && this.initialEvents === "refuse") {
      throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", []);
    }
    const version = query.get("resourceVersion") ?? "";
    const matches = matcher(target, query);
    const watch: OpenWatch = {
      pipe: new LinePipe(),
      matches,
      target,
      view: viewFor(request),
      held: undefined,
    };
    if (version === "") this.#sendAll(watch, isInitial && this.initialEvents === "serve");
    else for (const change of this.store.since(Number(version))) this.#sendChange(watch, change);
    this.#watches.add(watch);
    request.signal?.addEventListener("abort", () => {
      this.#watches.delete(watch);
      watch.pipe.end();
    });
    return { status: 200, headers: { "content-type": "application/json" }, body: watch.pipe };
  }

  #sendAll(watch: OpenWatch, withEnd: boolean): void {
    for (const object of this.store.list(watch.target.collection)) {
      if (watch.matches(object)) watch.pipe.push({ type: "ADDED", object: watch.view(object) });
    }
    if (withEnd) watch.pipe.push(bookmarkOf(watch.target, this.store.version, true));
  }

  #tell(change: Change): void {
    for (const watch of this.#watches) {
      if (watch.target.collection === change.collection) this.#sendChange(watch, change);
    }
  }

  /** An object that does not match any more is gone for this watcher. */
  #sendChange(watch: OpenWatch, { previous, object, isDeletion, collection }: Change): void {
    if (collection !== watch.target.collection) return;
    const was = previous !== undefined && watch.matches(previous);
    const is = !isDeletion && watch.matches(object);
    const shown = watch.view(object);
    if (is) this.#send(watch, { type: was ? "MODIFIED" : "ADDED", object: shown });
    else if (was) this.#send(watch, { type: "DELETED", object: shown });
  }

  #send(watch: OpenWatch, line: unknown): void {
    if (watch.held === undefined) watch.pipe.push(line);
    else watch.held.push(line);
  }
}

/** What a server answers that has a fault of its own. */
export const brokenServer = (): never => {
  throw internalError(new Error("the server is broken on purpose"));
};

function matcher(target: Target, query: URLSearchParams): (object: StoredObject) => boolean {
  const selector = parseSelector(query.get("labelSelector") ?? "");
  const named = /^metadata\.name=(?<name>.+)$/u.exec(query.get("fieldSelector") ?? "")?.groups?.["name"];
  return ({ metadata }) =>
    (named === undefined || metadata.name === named) &&
    (target.namespace === undefined || metadata.namespace === target.namespace) &&
    selectorMatches(selector, metadata.labels ?? {});
}

/** Clients may ask for metadata alone. */
function viewFor({ headers }: ApiRequest): (object: StoredObject) => unknown {
  if (!textOf(headers["accept"]).includes("as=PartialObjectMetadata")) return (object) => object;
  return ({ metadata }) => ({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
}

function typeOf({ group, version }: Target, object?: StoredObject): { apiVersion: string; kind: string } {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind: object?.kind ?? "Some" };
}

function bookmarkOf(target: Target, version: number, isEnd: boolean): unknown {
  const annotations = isEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
  return {
    type: "BOOKMARK",
    object: { ...typeOf(target), metadata: { resourceVersion: String(version), annotations } },
  };
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

function json(value: unknown, status = 200): ApiResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  const body = (async function* body() {
    yield await Promise.resolve(bytes);
  })();
  return { status, headers: { "content-type": "application/json" }, body };
}
