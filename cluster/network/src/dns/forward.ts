import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import type { Clock } from "@kedge/machinery";
import { lengthPrefixed, messagesOf } from "./tcp-messages.ts";

const patience = 2000;

/** The name servers of this machine, without those that we are. */
export async function upstreamServers(clock: Clock, ours: readonly string[]): Promise<readonly string[]> {
  const text = await clock.track(readFile("/etc/resolv.conf", "utf8")).catch(() => "");
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gmu)]
    .map(([, server = ""]) => server)
    .filter((server) => !ours.includes(server));
}

/** Asks other servers one after the other, by the way that the question came; undefined when none answers. */
export async function forward(
  query: Uint8Array,
  servers: readonly string[],
  options: { readonly udp: boolean; readonly clock: Clock },
): Promise<Buffer | undefined> {
  for (const server of servers) {
    try {
      using limit = options.clock.deadline(patience);
      const asked = options.udp
        ? byDatagram(query, server, limit.signal)
        : byConnection(query, server, limit.signal);
      return await options.clock.track(asked);
    } catch {
      // The next one may know.
    }
  }
  return undefined;
}

async function byDatagram(query: Uint8Array, server: string, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket({ type: server.includes(":") ? "udp6" : "udp4" });
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`${server} did not answer`)), { once: true });
      socket.once("error", reject);
      // Connected, so that only that server's answers are taken.
      socket.connect(53, server, () => {
        socket.send(query);
      });
      socket.on("message", (message) => {
        if (message.subarray(0, 2).equals(query.subarray(0, 2))) resolve(message);
      });
    });
  } finally {
    socket.close();
  }
}

async function byConnection(query: Uint8Array, server: string, signal: AbortSignal): Promise<Buffer> {
  const socket = connect({ host: server, port: 53, signal });
  try {
    socket.write(lengthPrefixed(query));
    for await (const message of messagesOf(socket)) return message;
    throw new Error(`${server} closed the connection`);
  } finally {
    socket.destroy();
  }
}
