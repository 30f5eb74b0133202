import {
  badRequest,
  messageOf,
  parseDurationMs,
  timeout,
  type ApiResponse,
  type Clock,
} from "@kedge/machinery";
import type { Attributes } from "../auth/types.ts";
import { TooManyRequests, type FlowControl, type Seat } from "../flow-control/flow-control.ts";
import { SharedTimeout } from "../request/shared-timeout.ts";
import type { Target } from "../request/target.ts";
import { textResponse, WholeBody } from "../response/responses.ts";

/** So long a request may take until its answer begins, in milliseconds, unless it asks for less. */
const longestRequest = 60_000;

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

  /** Answers with a seat, or with a 429. The seat is given back when the answer has been sent, of a watch when it begins. */
  async seated(
    { attributes, objects }: { readonly attributes: Attributes; readonly objects: () => number },
    serve: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    let seat: Seat | undefined;
    try {
      const entering = this.#flows.enter(attributes, objects);
      seat = entering instanceof Promise ? await entering : entering;
    } catch (error) {
      if (error instanceof TooManyRequests) return tooMany();
      throw error;
    }
    if (seat === undefined) return await serve();
    try {
      const response = await serve();
      if (!(response.body instanceof WholeBody) && attributes.verb !== "watch")
        return { ...response, body: releasing(response.body, seat) };
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
function tooMany(): ApiResponse {
  const headers = { "retry-after": "1", "x-content-type-options": "nosniff" };
  return textResponse(429, "Too many requests, please try again later.\n", headers);
}

/** The same bytes; the seat is given back at their end, or when nobody wants more of them. */
function releasing(body: AsyncIterable<Uint8Array>, seat: Seat): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const chunks = body[Symbol.asyncIterator]();
      return {
        next: async () => {
          try {
            const next = await chunks.next();
            if (next.done === true) seat.release();
            return next;
          } catch (error) {
            seat.release();
            throw error;
          }
        },
        return: async () => {
          seat.release();
          await chunks.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
