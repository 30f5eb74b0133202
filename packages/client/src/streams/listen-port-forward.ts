import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Clock } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import type { PortForwardConnection } from "./port-forward.ts";

/** How to forward a local port. */
export interface ListenPortForwardOptions {
  /** Opens the pod's end for one local connection; the signal aborts when that connection or the listener ends. */
  readonly open: (signal: AbortSignal) => Promise<PortForwardConnection>;
  readonly clock: Clock;
  /** Local address. Default: 127.0.0.1, which nobody outside of this machine can reach. */
  readonly host?: string | undefined;
  /** Local port. Default: 0, which is any free one. */
  readonly port?: number | undefined;
  /** One connection failed. The others, and the listening, go on. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A local port that leads into a pod. */
export interface PortForwardListener {
  readonly host: string;
  readonly port: number;
  /** Stops listening, cuts the open connections, and resolves when all is gone. */
  close(): Promise<void>;
}

/**
 * Listens on a local port and opens a connection to the pod for each one that comes. When the pod's end breaks or
 * cannot be opened, the local connection is reset.
 */
export async function listenPortForward(options: ListenPortForwardOptions): Promise<PortForwardListener> {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (local) => {
    const work = serve(local, options, stop.signal).finally(() => running.delete(work));
    running.add(work);
  });
  const { host, port } = await listen(server, options.host ?? "127.0.0.1", options.port ?? 0);
  return {
    host,
    port,
    async close() {
      stop.abort();
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      await Promise.all([closed, ...running]);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<{ host: string; port: number }> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    throw new ClientError("USAGE", `port-forward: cannot listen on ${host}:${port}: ${String(error)}`, {
      cause: error,
      hint: "choose another local port, or 0 for any that is free",
    });
  }
  // A running server must not bring the process down.
  server.on("error", () => undefined);
  const address = server.address();
  return typeof address === "object" && address !== null
    ? { host: address.address, port: address.port }
    : { host, port };
}

/** Carries one local connection from its beginning to its end. Never rejects. */
async function serve(local: Socket, options: ListenPortForwardOptions, stop: AbortSignal): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  const closed = new Promise<void>((resolve) => {
    local.once("close", () => resolve());
  });
  local.once("close", leave);
  // A client that breaks off is no error: it was its right.
  local.on("error", leave);
  stop.addEventListener("abort", leave, { once: true });
  let pod: PortForwardConnection | undefined;
  try {
    pod = await options.open(gone.signal);
    await carry({
      local,
      pod,
      clock: options.clock,
      signal: gone.signal,
      lastHeard: options.clock.monotonic(),
    });
    // From here on the end of the local connection is no reason to cut the other one.
    local.off("close", leave);
    local.destroySoon();
  } catch (error) {
    if (!gone.signal.aborted) options.onError?.(error instanceof Error ? error : new Error(String(error)));
    local.resetAndDestroy();
  }
  await pod?.close();
  await closed;
  stop.removeEventListener("abort", leave);
}

interface Pair {
  readonly local: Socket;
  readonly pod: PortForwardConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** When the pod last sent something, on the monotonic clock. */
  lastHeard: number;
}

/** Resolves when one of the two ends is done. */
async function carry(pair: Pair): Promise<void> {
  await Promise.race([toPod(pair), toLocal(pair)]);
}

async function toLocal(pair: Pair): Promise<void> {
  const { local, signal } = pair;
  for await (const chunk of pair.pod.readable) {
    pair.lastHeard = pair.clock.monotonic();
    if (!local.write(chunk)) await once(local, "drain", { signal });
  }
}

async function toPod(pair: Pair): Promise<void> {
  for await (const chunk of pair.local) {
    if (chunk instanceof Uint8Array) await pair.pod.write(chunk);
  }
  await untilSilent(pair);
}

/**
 * After its last byte a client may be gone, or wait for an answer: the two look the same, and the protocol cannot tell
 * the pod. So the pod's end is kept open until it has been silent for this long.
 */
const linger = 2_000;

async function untilSilent(pair: Pair): Promise<void> {
  const { clock, signal } = pair;
  const since = clock.monotonic();
  for (;;) {
    const left = Math.max(since, pair.lastHeard) + linger - clock.monotonic();
    if (left <= 0) return;
    await clock.sleep(left, signal);
  }
}
