import type { ApiHandler, ApiRequest, ApiResponse, UpgradeHandler } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import type { Transport } from "./types.ts";
import { untilAborted } from "./until-aborted.ts";

const where = "the in-process API server";

/**
 * The in-process door: requests go straight to the API server's core. What it answers is byte for byte what the
 * network door would carry.
 */
export function inProcessTransport(
  handler: ApiHandler,
  upgradeHandler: UpgradeHandler = noStreams,
): Transport {
  let closed = false;
  const pass = async <Q extends Passing, A>(request: Q, handle: (request: Q) => Promise<A>): Promise<A> => {
    if (closed) throw new ClientError("UNREACHABLE", `cannot reach ${where}: the transport is closed`);
    request.signal?.throwIfAborted();
    return await untilAborted(handle(request), request.signal, nameOf(request));
  };
  return {
    async request(request) {
      const answer = await translate(request, () => pass(request, handler));
      return { ...answer, body: guarded(answer.body, request) };
    },
    upgrade: (request) => translate(request, () => pass(request, closedWhenLate(upgradeHandler))),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

type Passing = Pick<ApiRequest, "method" | "path" | "signal">;

const noStreams: UpgradeHandler = () =>
  Promise.reject(new ClientError("PROTOCOL", `${where} serves no message streams`));

/** A stream that comes when its caller has given up belongs to nobody. */
function closedWhenLate(handler: UpgradeHandler): UpgradeHandler {
  return async (request) => {
    const answer = await handler(request);
    if (request.signal?.aborted === true && !("status" in answer)) await answer.close();
    return answer;
  };
}

/** The network door has an abort end the body, too, wherever its reader stands. */
async function* guarded(body: ApiResponse["body"], request: Passing): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await translate(request, () =>
        untilAborted(chunks.next(), request.signal, nameOf(request)),
      );
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that is stuck in `next` would hold its reader forever.
    void chunks.return?.().then(undefined, () => undefined);
  }
}

async function translate<T>(request: Passing, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (request.signal?.aborted === true) throw abortFailure(request.signal, nameOf(request));
    throw transportFailure(error, where, "exchange");
  }
}

function nameOf(request: Passing): string {
  return `${request.method} ${request.path}`;
}
