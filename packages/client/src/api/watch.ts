import { DeadlineError, isStatus, resourceVersion, StatusError, type Kind } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { parseWatchEvent } from "../json/parse-watch-event.ts";
import { readByteLines } from "../read-lines.ts";
import { openStream, type CallContext, type Opened } from "./call.ts";
import { fromWire } from "./from-wire.ts";
import { withQuery } from "../transport/query.ts";
import { collectionPath, selectionQuery } from "./paths.ts";
import type { WatchEvent, WatchOptions } from "./types.ts";

/** Watches a kind until the server ends the stream or the reader leaves. */
export async function* watch<T>(
  context: CallContext,
  kind: Kind<unknown>,
  accept: string,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const stream = await openStream(
    context,
    { method: "GET", path: watchPath(kind, options), accept },
    options,
  );
  options.onOpen?.();
  const silence = silenceGuard(context, stream, options.idleTimeout);
  try {
    for await (const line of readByteLines(stream.opened.body)) {
      silence.heard();
      if (line.length > 0) yield eventOf<T>(parseLine(line, context));
    }
  } finally {
    silence.stop();
    stream.stop.abort();
  }
}

function watchPath(kind: Kind<unknown>, options: WatchOptions): string {
  const bookmarks = options.bookmarks ?? true;
  return withQuery(collectionPath(kind, options.namespace), {
    watch: true,
    ...selectionQuery(options),
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: bookmarks || options.sendInitialEvents === true ? true : undefined,
    sendInitialEvents: options.sendInitialEvents === true ? true : undefined,
    resourceVersionMatch: options.sendInitialEvents === true ? "NotOlderThan" : undefined,
    timeoutSeconds: options.timeoutSeconds,
  });
}

/** Aborts a stream on which nothing was heard for too long: a dead connection may stay silent forever. */
function silenceGuard(
  context: CallContext,
  stream: Opened<unknown>,
  limit: number | undefined,
): { heard(): void; stop(): void } {
  if (limit === undefined) return { heard: () => undefined, stop: () => undefined };
  const { clock } = context;
  let last = clock.monotonic();
  const check = (): void => {
    const left = last + limit - clock.monotonic();
    if (left <= 0) stream.stop.abort(new DeadlineError(limit));
    else timer = clock.timer(left, check);
  };
  let timer = clock.timer(limit, check);
  return {
    heard() {
      last = clock.monotonic();
    },
    stop: () => timer.cancel(),
  };
}

function parseLine(line: Buffer, context: CallContext): RawEvent {
  try {
    return fromWire<RawEvent>(parseWatchEvent(line, context));
  } catch (error) {
    throw new ClientError("PROTOCOL", `a watch event is not JSON: ${line.toString("utf8", 0, 200)}`, {
      cause: error,
    });
  }
}

interface RawEvent {
  readonly type?: unknown;
  readonly object?: { metadata?: { resourceVersion?: string; annotations?: Record<string, string> } };
}

const initialEventsEnd = "k8s.io/initial-events-end";

function eventOf<T>(event: RawEvent): WatchEvent<T> {
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: fromWire<T>(object) };
    case "BOOKMARK":
      return {
        type,
        resourceVersion: resourceVersion(object?.metadata?.resourceVersion ?? ""),
        initialEventsEnd: object?.metadata?.annotations?.[initialEventsEnd] === "true",
      };
    case "ERROR":
      if (isStatus(object)) throw new StatusError(object);
      break;
    default:
  }
  throw new ClientError("PROTOCOL", `a watch event has the type ${JSON.stringify(type)}, which is none`);
}
