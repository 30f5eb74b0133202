import { createApiServer, type ApiServer } from "@kedge/apiserver";
import { macrotask, realClock, realRandom, type ApiHandler } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import type { HostileRequest } from "./shapes/shape.ts";

/** What was answered, the beginning of its text only. */
export interface Answer {
  readonly status: number;
  readonly warning: string | readonly string[] | undefined;
  readonly text: string;
}

/** What a request has cost this thread, in milliseconds of CPU: how busy the machine is does not count. */
export interface Cost extends Answer {
  readonly total: number;
  /** The longest time without a turn of the event loop. */
  readonly longestBlock: number;
}

/** A server to send hostile requests to. */
export interface Target extends AsyncDisposable {
  readonly api: ApiServer;
  /** Answers a request in this process. */
  readonly handle: ApiHandler;
  /** Sends a request in this process, and reads what comes until the signal says that it is enough. */
  send(request: HostileRequest, signal?: AbortSignal): Promise<Answer>;
  /** Sends a request and says what it cost. */
  cost(request: HostileRequest): Promise<Cost>;
}

/** Whom requests are from. */
export const sender = { name: "admin", groups: ["system:masters"] };

/** Starts a server in this process. */
export async function startTarget(
  options: Pick<Parameters<typeof createApiServer>[0], "audit"> = {},
): Promise<Target> {
  const store = createMemoryStore({ clock: realClock });
  const api = createApiServer({ store, clock: realClock, random: realRandom, ...options });
  await api.start();
  const { handle } = api.doorFor(sender);
  const send = async (request: HostileRequest, signal?: AbortSignal): Promise<Answer> => {
    const headers = { "user-agent": "hostile/1", ...request.headers };
    const response = await handle({ ...request, headers, signal });
    let text = "";
    for await (const chunk of response.body) {
      if (text.length < 1000) text += Buffer.from(chunk.subarray(0, 1000)).toString("utf8");
      if (signal?.aborted === true) break;
    }
    return { status: response.status, warning: response.headers["warning"], text };
  };
  // Pods wait for it.
  await send({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    headers: { "content-type": "application/json" },
    body: '{"metadata":{"name":"default"}}',
  });
  return {
    api,
    handle,
    send,
    cost: async (request) => {
      const { value, ...cost } = await measured(() => send(request));
      return { ...value, ...cost };
    },
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await store.close();
    },
  };
}

/** What work in this thread has cost, and what came of it. */
export async function measured<T>(
  work: () => Promise<T>,
): Promise<{ readonly value: T } & Pick<Cost, "total" | "longestBlock">> {
  let longestBlock = 0;
  const start = cpu();
  let last = start;
  const done = new AbortController();
  const tick = async (): Promise<void> => {
    while (!done.signal.aborted) {
      await macrotask();
      const now = cpu();
      longestBlock = Math.max(longestBlock, now - last);
      last = now;
    }
  };
  const ticking = tick();
  const value = await work().finally(() => done.abort());
  await ticking;
  return { value, total: cpu() - start, longestBlock };
}

function cpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
