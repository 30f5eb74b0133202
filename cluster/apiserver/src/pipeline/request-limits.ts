import {
  badRequest,
  messageOf,
  parseDurationMs,
  timeout,
  type ApiResponse,
  type Clock,
} from "@kedge/machinery";
import type { Attributes } from "../auth/types.ts";
import {
  TooManyRequests,
  type Admitted,
  type Flow,
  type FlowControl,
  type Seat,
} from "../flow-control/flow-control.ts";
import { SharedTimeout } from "../request/shared-timeout.ts";
import type { Target } from "../request/target.ts";
import { textResponse, WholeBody } from "../response/responses.ts";

/** So long a request may take until its answer begins, in milliseconds, unless it asks for less. */
const longestRequest = 60_000;

/** A request that needs a seat. `serve` answers errors, too: they belong to a flow like all else. */
export interface SeatedRequest {
  readonly attributes: Attributes;
  /** How many objects it will have to look at. */
  readonly objects: () => number;
  readonly query: URLSearchParams;
  /** Of its body. */
  readonly bytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Keeps the requests of one from taking everything from all others: each gets a seat among those of its kind, and a time. */
export class RequestLimits {
  readonly #flows: FlowControl;
  readonly #clock: Clock;
  readonly #deadlines: SharedTimeout;

  constructor(flows: FlowControl, clock: Clock) {
    this.#flows = flows;
    this.#clock = clock;
    this.#deadlines = new SharedTimeout(clock, longestRequest);
  }

  /**
   * Answers with a seat, or with a 429. The seat is given back when the answer has been sent, of a watch when it begins.
   * Every answer says to which flow it belongs, by headers.
   */
  async seated(entering: SeatedRequest, serve: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { attributes, objects, signal, query, bytes } = entering;
    const isWatch = attributes.verb === "watch";
    let admitted: Admitted;
    try {
      // A quarter of the time that it may take, as long as it wants to watch.
      const patience = isWatch ? undefined : timeoutIn(query) / 4;
      const entered = this.#flows.enter({ attributes, objects, bytes, signal, patience });
      admitted = entered instanceof Promise ? await entered : entered;
    } catch (error) {
      if (error instanceof TooManyRequests) return withFlow(tooMany(error), error.flow);
      throw error;
    }
    const { flow, seat } = admitted;
    if (seat === undefined) return withFlow(await serve(), flow);
    try {
      const response = withFlow(await serve(), flow);
      if (!(response.body instanceof WholeBody) && !isWatch && signal?.aborted !== true)
        return { ...response, body: releasing(response.body, seat, signal) };
      seat.release();
      return response;
    } catch (error) {
      seat.release();
      throw error;
    }
  }

  /**
   * Answers in the time that the query asks for, at most a minute; else with `late`, whatever becomes of the work. Throws
   * a 400.
   */
  async inTime(
    query: URLSearchParams,
    serve: () => Promise<ApiResponse>,
    late: (error: Error) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const ms = timeoutIn(query);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const expire = (): void => resolve(undefined);
    const timer = ms < longestRequest ? this.#clock.timer(ms, expire) : undefined;
    const stop = timer === undefined ? this.#deadlines.begin(expire) : (): void => timer.cancel();
    try {
      const response = await Promise.race([serve(), promise]);
      return response ?? (await late(timeout("request did not complete within the allotted timeout")));
    } finally {
      stop();
    }
  }

  close(): void {
    this.#deadlines.close();
    this.#flows.close();
  }
}

/** Whether a request goes on until one side ends it. */
export function isLongRunning(target: Target): boolean {
  if (target.type === "path") return false;
  return target.verb === "watch" || longSubresources.has(target.subresource);
}

const longSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);

function timeoutIn(query: URLSearchParams): number {
  const text = query.get("timeout") ?? "";
  if (text === "") return longestRequest;
  try {
    const ms = parseDurationMs(text);
    // Nothing, and more than there is, are the longest.
    return ms > 0 ? Math.min(ms, longestRequest) : longestRequest;
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`);
  }
}

/** As kube-apiserver says it: plain text. */
function tooMany({ retryAfter }: TooManyRequests): ApiResponse {
  const headers = { "retry-after": String(retryAfter), "x-content-type-options": "nosniff" };
  return textResponse(429, "Too many requests, please try again later.\n", headers);
}

/** Who may read the objects learns from these what a request counted as. */
function withFlow(response: ApiResponse, { schema, level }: Flow): ApiResponse {
  const headers = {
    ...response.headers,
    "x-kubernetes-pf-flowschema-uid": schema,
    "x-kubernetes-pf-prioritylevel-uid": level,
  };
  return { ...response, headers };
}

/** The same bytes; the seat is given back at their end, or when nobody wants more of them. */
function releasing(
  body: AsyncIterable<Uint8Array>,
  seat: Seat,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const release = (): void => {
    signal?.removeEventListener("abort", release);
    seat.release();
  };
  signal?.addEventListener("abort", release);
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          try {
            const next = await chunks.next();
            if (next.done === true) release();
            return next;
          } catch (error) {
            release();
            throw error;
          }
        },
        return: async () => {
          release();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
