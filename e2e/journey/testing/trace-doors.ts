import type { Door } from "@kedge/apiserver";
import type { ApiRequest } from "@kedge/machinery";
import type { Journal } from "./journal.ts";

/** A write that is a step of the way: who sends what where. */
export interface TracedWrite {
  readonly name: string;
  /** The beginning of the user agent. */
  readonly agent: string;
  readonly method: string;
  /** The end of the path, without the query. */
  readonly path: RegExp;
  readonly layer: string;
  readonly text: string;
}

/** News by watch that is a step of the way: who is told of what. */
export interface TracedNews {
  readonly name: string;
  readonly agent: string;
  /** The end of the watched path: `/redisinstances`. */
  readonly path: string;
  readonly object: string;
  readonly text: string;
}

/** What of the traffic through the API server's doors belongs to the way. */
export interface TracedTraffic {
  /** The one that everything begins with. */
  readonly first: TracedWrite;
  readonly writes: readonly TracedWrite[];
  readonly news: readonly TracedNews[];
}

/** Notes requests when they come in, and watch events when they go out. */
export function traceDoors(journal: Journal, { first, writes, news }: TracedTraffic): (door: Door) => Door {
  return ({ handle, upgrade }) => ({
    upgrade,
    handle: async (request) => {
      if (fits(first, request)) journal.begin(first.name, first.layer, first.text);
      for (const write of writes) {
        if (fits(write, request)) journal.note(write.name, write.layer, write.text);
      }
      const response = await handle(request);
      const told = news.filter((one) => isWatchOf(one, request));
      return told.length === 0 ? response : { ...response, body: traced(response.body, told, journal) };
    },
  });
}

function fits({ agent, method, path }: TracedWrite, request: ApiRequest): boolean {
  return request.method === method && path.test(pathOf(request)) && agentOf(request).startsWith(agent);
}

function isWatchOf({ agent, path }: TracedNews, request: ApiRequest): boolean {
  const isWatch = new URL(request.path, "http://server").searchParams.get("watch");
  return isWatch !== null && pathOf(request).endsWith(path) && agentOf(request).startsWith(agent);
}

async function* traced(
  body: AsyncIterable<Uint8Array>,
  news: readonly TracedNews[],
  journal: Journal,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    for (const one of news) {
      if (text.includes(`"name":"${one.object}"`)) journal.note(one.name, "apiserver", one.text);
    }
    yield chunk;
  }
}

function pathOf({ path }: ApiRequest): string {
  return path.split("?")[0] ?? "";
}

function agentOf({ headers }: ApiRequest): string {
  return headers["user-agent"]?.toString() ?? "";
}
