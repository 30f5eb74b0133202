import {
  DeadlineError,
  StatusError,
  statusFromResponse,
  type ApiHeaders,
  type ApiResponse,
  type Clock,
  type Logger,
  type Random,
} from "@kedge/machinery";
import { abortFailure } from "../failures.ts";
import type { Transport } from "../transport/types.ts";
import { headerOf, readText } from "../transport/read-body.ts";
import { retryDelay } from "./retry-policy.ts";
import type { CallOptions, WriteObserver } from "./types.ts";
import { warningsOf, type Warning } from "./warnings.ts";

/** What all calls of a client have in common. */
export interface CallContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  readonly onWarning: (warning: Warning) => void;
  readonly logger: Logger;
  /** Leave managedFields out while parsing. */
  readonly dropManagedFields: boolean;
  /** See `Client.observed`. */
  readonly onWrite: WriteObserver;
}

/** One call to the API. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: ApiHeaders;
  /** Default time in milliseconds when the caller names none. */
  readonly defaultTimeout?: number;
}

const defaultTimeout = 30_000;

/** An error's text beyond this is not read. */
const longestErrorBody = 1 << 20;

/** Makes a call and hands its successful answer to `read`; the deadline covers both. */
export async function call<T>(
  context: CallContext,
  request: Call,
  options: CallOptions,
  read: (answer: ApiResponse) => Promise<T>,
): Promise<T> {
  const timeout = options.timeout ?? request.defaultTimeout ?? defaultTimeout;
  using deadline = context.clock.deadline(timeout, options.signal);
  const attempt = { request, options, signal: deadline.signal, until: context.clock.monotonic() + timeout };
  return await read(await open(context, attempt));
}

/** What was opened and outlives its call, and the way to end it. */
export interface Opened<T> {
  readonly opened: T;
  readonly stop: AbortController;
}

/** Opens something that has no deadline itself; the timeout is for the opening. The caller's signal ends both. */
export async function openWithin<T>(
  clock: Clock,
  options: CallOptions,
  opening: (signal: AbortSignal, until: number) => Promise<T>,
): Promise<Opened<T>> {
  const timeout = options.timeout ?? defaultTimeout;
  const stop = new AbortController();
  // Not a listener on the caller's signal: that may live as long as the process, and what is opened does not.
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const timer = clock.timer(timeout, () => stop.abort(new DeadlineError(timeout)));
  try {
    return { opened: await opening(signal, clock.monotonic() + timeout), stop };
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Makes a call whose answer's body has no deadline: a watch, a log. */
export function openStream(
  context: CallContext,
  request: Call,
  options: CallOptions,
): Promise<Opened<ApiResponse>> {
  return openWithin(context.clock, options, (signal, until) =>
    open(context, { request, options, signal, until }),
  );
}

interface Attempt {
  readonly request: Call;
  readonly options: CallOptions;
  readonly signal: AbortSignal;
  /** On the monotonic clock: a pause that would end later is not begun. */
  readonly until: number;
}

/** The head of a successful answer, after as many attempts as are safe. */
async function open(context: CallContext, attempt: Attempt): Promise<ApiResponse> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await tryOnce(context, attempt);
    } catch (error) {
      const delay = retryDelay({ method: attempt.request.method, attempts, error }, context.random);
      if (delay === undefined || context.clock.monotonic() + delay >= attempt.until) throw error;
      const what = nameOf(attempt.request);
      context.logger.info("Retrying an API call", {
        call: what,
        attempts,
        delayMs: Math.round(delay),
        error,
      });
      await context.clock.sleep(delay, attempt.signal).catch(() => {
        throw abortFailure(attempt.signal, what);
      });
    }
  }
}

async function tryOnce(context: CallContext, attempt: Attempt): Promise<ApiResponse> {
  const { request, options, signal } = attempt;
  const begin = context.clock.monotonic();
  const answer = await context.transport.request({
    method: request.method,
    path: request.path,
    headers: {
      accept: request.accept ?? "application/json",
      "user-agent": context.userAgent,
      ...(request.contentType !== undefined && { "content-type": request.contentType }),
      ...request.headers,
    },
    body: request.body,
    signal,
  });
  const ms = Math.round(context.clock.monotonic() - begin);
  context.logger.debug("API call answered", { call: nameOf(request), status: answer.status, ms });
  const onWarning = options.onWarning ?? context.onWarning;
  for (const warning of warningsOf(answer.headers, nameOf(request))) onWarning(warning);
  if (answer.status >= 200 && answer.status < 400) return answer;
  throw await failureOf(context, request, answer);
}

async function failureOf(context: CallContext, request: Call, answer: ApiResponse): Promise<StatusError> {
  const retryAfterSeconds = retryAfter(answer.headers, context.clock);
  const status = statusFromResponse(answer.status, await readText(answer, longestErrorBody, "cut"), {
    verb: request.method,
    contentType: headerOf(answer, "content-type"),
    retryAfterSeconds,
  });
  if (retryAfterSeconds === undefined || status.details?.retryAfterSeconds !== undefined)
    return new StatusError(status);
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds } });
}

/** Seconds, or an HTTP date. */
function retryAfter(headers: ApiHeaders, clock: Clock): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - clock.now()) / 1000);
}

function nameOf(request: Call): string {
  return `${request.method} ${request.path}`;
}
