import { seededRandom, VirtualClock, type ApiRequest, type Clock } from "@kedge/machinery";
import { createMemoryStore, type Store } from "@kedge/store";
import { createApiServer, type ApiServer, type ApiServerOptions } from "../api-server.ts";

/** An API server with a way to ask it things. */
export interface TestServer extends AsyncDisposable {
  readonly api: ApiServer;
  readonly store: Store;
  /** Asks as an admin, and reads the answer as JSON. */
  ask(method: string, path: string, body?: unknown, more?: Partial<ApiRequest>): Promise<Answer>;
  /** Opens a watch; `next` waits for its next event. */
  watch(path: string): Promise<TestWatch>;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: ApiRequest["headers"];
  readonly body: {
    readonly [field: string]: unknown;
    readonly metadata: Metadata;
    readonly message?: string;
  };
}

/** The metadata that tests look at. */
export interface Metadata {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly resourceVersion: string;
}

/** A watch that is read event by event. */
export interface TestWatch {
  next(): Promise<{ readonly type: string; readonly object: Answer["body"] } | undefined>;
  close(): Promise<void>;
}

/** Starts a server over a new store in memory. */
export async function startServer(
  options: Partial<ApiServerOptions> & { readonly clock?: Clock } = {},
): Promise<TestServer> {
  const clock = options.clock ?? new VirtualClock();
  const store = options.store ?? createMemoryStore({ clock });
  const api = createApiServer({ random: seededRandom(1), defaultRoles: false, ...options, clock, store });
  await api.start();
  const { handle } = api.doorFor({ name: "admin", groups: ["system:masters"] });
  return {
    api,
    store,
    ask: async (method, path, body, more = {}) => {
      const headers = { "content-type": "application/json", "user-agent": "test/1" };
      const answer = await handle({
        method,
        path,
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
        ...more,
        headers: { ...headers, ...more.headers },
      });
      const text = Buffer.concat(await Array.fromAsync(answer.body)).toString("utf8");
      return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Answer["body"] };
    },
    watch: async (path) => eventsOf((await handle({ method: "GET", path, headers: {} })).body),
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await store.close();
    },
  };
}

function eventsOf(body: AsyncIterable<Uint8Array>): TestWatch {
  const chunks = body[Symbol.asyncIterator]();
  const lines: string[] = [];
  return {
    next: async () => {
      while (lines.length === 0) {
        const next = await chunks.next();
        if (next.done === true) return undefined;
        lines.push(...Buffer.from(next.value).toString("utf8").trimEnd().split("\n"));
      }
      return JSON.parse(lines.shift() ?? "") as { type: string; object: Answer["body"] };
    },
    close: async () => void (await chunks.return?.()),
  };
}
