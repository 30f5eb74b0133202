import { ClientError, type Transport } from "@kedge/client";
import type { ApiRequest, ApiResponse, Clock, Random } from "@kedge/machinery";
import type { Trace } from "./trace.ts";

/** The way of one life of a process to the API server. */
export interface FaultyTransportOptions {
  readonly process: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly latency: number;
  readonly lag: number;
  readonly trace: Trace;
  /** Ends the life: from then on nothing gets through. */
  readonly signal: AbortSignal;
  /** Called before each write; says what is to happen at it. Events do not count. */
  readonly onWrite: (what: string) => Promise<CrashMoment | undefined>;
  readonly kill: () => void;
}

/**
 * When a process dies: before the write leaves it, when the server has done it but the answer is lost, or when the
 * answer has come.
 */
export type CrashMoment = "before" | "at" | "after";

/** A transport whose requests take a while and whose watches lag behind; the process may die at each of its writes. */
export function faultyTransport(transport: Transport, options: FaultyTransportOptions): Transport {
  const { clock, random, latency, lag, trace, process, signal } = options;
  let isDying = false;
  const mustLive = async (): Promise<void> => {
    if (isDying && !signal.aborted) await aborted(signal);
    if (signal.aborted) throw new ClientError("UNREACHABLE", `simulated: the process ${process} was killed`);
  };
  const exchange = async (request: ApiRequest): Promise<ApiResponse> => {
    await clock.sleep(random.int(latency + 1), request.signal);
    await mustLive();
    const record = request.method === "GET" ? undefined : trace.write(process, request);
    const response = await transport.request(request);
    if (record !== undefined) record.status = response.status;
    return response;
  };
  return {
    async request(request) {
      await mustLive();
      using _pending = trace.begin(process, request);
      const moment = counts(request) ? await options.onWrite(`${request.method} ${request.path}`) : undefined;
      if (moment === "before") options.kill();
      await mustLive();
      const response = await exchange(request);
      if (moment === "at") options.kill();
      await mustLive();
      if (moment === "after") {
        isDying = true;
        const whole = await collected(response.body);
        clock.timer(0, options.kill);
        return { ...response, body: whole };
      }
      const isWatch = request.path.includes("watch=true");
      return isWatch ? { ...response, body: lagging(response.body) } : response;
    },
    upgrade: (request) => transport.upgrade(request),
    close: () => transport.close(),
  };

  async function* lagging(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await clock.sleep(random.int(lag + 1), signal);
      if (signal.aborted) return;
      yield chunk;
    }
  }
}

/** What a crash may be aimed at: writes, but for events. */
function counts({ method, path }: ApiRequest): boolean {
  return method !== "GET" && !path.includes("/events");
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return (async function* whole() {
    yield* await Promise.resolve(chunks);
  })();
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
