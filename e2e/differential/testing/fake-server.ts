import { ReadableStream } from "node:stream/web";
import { seededRandom, type ApiRequest, type ApiResponse, type Clock } from "@kedge/machinery";
import type { Server } from "../player/server.ts";

/** Any object. */
export interface FakeObject {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** What a watch tells. */
export interface FakeEvent {
  readonly type: string;
  readonly object: FakeObject;
}

/** An answer before it is written as JSON. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a fake server is to be. Two with other seeds have other uids and versions. */
export interface FakeServerOptions {
  readonly clock: Clock;
  readonly seed?: number;
  /** From one resourceVersion to the next. */
  readonly nextVersion?: (version: number) => number;
  /** Changes an answer before it goes out. */
  readonly answer?: (answer: FakeAnswer, request: ApiRequest) => FakeAnswer;
  /** What to tell of an event. */
  readonly tell?: (event: FakeEvent) => readonly FakeEvent[];
}

/** A server for the player, and what it was asked. */
export interface FakeServer extends Server {
  readonly requests: readonly ApiRequest[];
}

/** The least that a script can be played against: objects in a map, written by POST, PUT and DELETE, and watches. */
export function fakeServer(options: FakeServerOptions): FakeServer {
  const state = new State(options);
  const requests: ApiRequest[] = [];
  const send = (request: ApiRequest): Promise<ApiResponse> => {
    requests.push(request);
    if (request.signal?.aborted === true) return Promise.reject(new Error("aborted"));
    return Promise.resolve(state.handle(request));
  };
  return {
    requests,
    send,
    sendAnonymous: (request) =>
      "authorization" in request.headers
        ? send(request)
        : Promise.resolve(answerOf({ ...usual, status: 401, body: { reason: "Unauthorized" } })),
  };
}

interface Told extends FakeEvent {
  readonly collection: string;
  readonly version: number;
}

const usual = {
  headers: { "audit-id": "1", "cache-control": "no-cache, private", "content-type": "application/json" },
};

class State {
  readonly #options: FakeServerOptions;
  readonly #random;
  readonly #objects = new Map<string, FakeObject>();
  readonly #history: Told[] = [];
  readonly #watchers = new Set<(event: Told) => void>();
  #version: number;

  constructor(options: FakeServerOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed ?? 1);
    this.#version = 1000 * (options.seed ?? 1);
  }

  handle(request: ApiRequest): ApiResponse {
    const { pathname, searchParams } = new URL(request.path, "http://fake");
    if (searchParams.get("watch") === "true") return this.#watch(pathname, searchParams, request.signal);
    const answer = { ...usual, ...this.#answer(pathname, request) };
    return answerOf(this.#options.answer?.(answer, request) ?? answer);
  }

  #answer(path: string, { method, body }: ApiRequest): Pick<FakeAnswer, "status" | "body"> {
    if (method === "POST") {
      const { metadata, ...rest } = JSON.parse(String(body)) as FakeObject;
      const creationTimestamp = new Date(this.#options.clock.now()).toISOString().replace(/\.\d+/u, "");
      const born = { uid: this.#random.uuid(), creationTimestamp };
      const object = { ...rest, metadata: { ...metadata, ...born } };
      return { status: 201, body: this.#write("ADDED", `${path}/${metadata.name}`, object) };
    }
    const before = this.#objects.get(path);
    if (before === undefined) return method === "GET" ? this.#list(path) : notFound;
    if (method === "GET") return { status: 200, body: before };
    if (method === "DELETE") return { status: 200, body: this.#write("DELETED", path, before) };
    const { data } = JSON.parse(String(body)) as FakeObject;
    return { status: 200, body: this.#write("MODIFIED", path, { ...before, data }) };
  }

  #write(type: string, path: string, object: FakeObject): FakeObject {
    this.#version = (this.#options.nextVersion ?? ((version) => version + 1))(this.#version);
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const written = { ...object, metadata };
    if (type === "DELETED") this.#objects.delete(path);
    else this.#objects.set(path, written);
    const collection = path.slice(0, path.lastIndexOf("/"));
    for (const event of this.#options.tell?.({ type, object: written }) ?? [{ type, object: written }]) {
      const told = { ...event, collection, version: this.#version };
      this.#history.push(told);
      for (const watcher of this.#watchers) watcher(told);
    }
    return written;
  }

  /** Paths of objects end in a name, of collections in the plural of a kind. */
  #list(path: string): Pick<FakeAnswer, "status" | "body"> {
    if (!path.endsWith("s")) return notFound;
    const items = [...this.#objects]
      .filter(([key]) => key.startsWith(`${path}/`))
      .map(([, object]) => object);
    return { status: 200, body: { items, metadata: { resourceVersion: String(this.#version) } } };
  }

  #watch(path: string, query: URLSearchParams, signal: AbortSignal | undefined): ApiResponse {
    const after = Number(query.get("resourceVersion") ?? this.#version);
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        const watcher = ({ collection, version, ...event }: Told): void => {
          if (collection === path && version > after)
            stream.enqueue(Buffer.from(`${JSON.stringify(event)}\n`));
        };
        const stop = (): boolean => this.#watchers.delete(watcher);
        for (const event of this.#history) watcher(event);
        this.#watchers.add(watcher);
        signal?.addEventListener("abort", () => stop() && stream.error(new Error("aborted")));
        const seconds = query.get("timeoutSeconds");
        if (seconds !== null)
          this.#options.clock.timer(Number(seconds) * 1000, () => stop() && stream.close());
      },
    });
    return { status: 200, headers: usual.headers, body };
  }
}

const notFound = { status: 404, body: { reason: "NotFound" } };

function answerOf({ status, headers, body }: FakeAnswer): ApiResponse {
  return { status, headers, body: ReadableStream.from([Buffer.from(JSON.stringify(body))]) };
}
