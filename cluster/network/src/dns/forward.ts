import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import type { Clock, Random } from "@kedge/machinery";
import type { DnsQuery } from "./read-query.ts";
import { lengthPrefixed, messagesOf } from "./tcp-messages.ts";

const patience = 2000;
/** As many as the machine's own programs ask. */
const mostServers = 3;

/** Where systemd-resolved writes what it asks itself. /etc/resolv.conf then names only its own, on the loopback. */
const resolved = "/run/systemd/resolve/resolv.conf";

/**
 * The name servers of this machine, without those that we are. Those on the machine's loopback are left out where they
 * are out of reach: in the network namespace of a node.
 */
export async function upstreamServers(
  clock: Clock,
  { ours, loopback }: { readonly ours: string; readonly loopback: boolean },
): Promise<readonly string[]> {
  const serversOf = async (path: string): Promise<readonly string[]> => {
    const text = await clock.track(readFile(path, "utf8")).catch(() => "");
    return nameServers(text).filter((server) => server !== ours && (loopback || !isLoopback(server)));
  };
  const servers = await serversOf("/etc/resolv.conf");
  return (servers.length > 0 || loopback ? servers : await serversOf(resolved)).slice(0, mostServers);
}

function nameServers(text: string): readonly string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gmu)]
    .map(([, server = ""]) => server)
    .filter((server) => isIP(server.replace(/%.*$/u, "")) !== 0);
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** What a forwarded question is asked with. */
export interface ForwardOptions {
  readonly udp: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Of the other servers. Default 53. */
  readonly port?: number | undefined;
}

/** Asks other servers one after the other, by the way that the question came; undefined when none answers. */
export async function forward(
  message: Buffer,
  query: DnsQuery,
  servers: readonly string[],
  options: ForwardOptions,
): Promise<Buffer | undefined> {
  for (const server of servers) {
    // A number of our own: whoever asked knows theirs, and could answer in the server's name.
    const asked = numbered(message, options.random.int(65_536));
    const isAnswer = answersTo(asked, query.question);
    try {
      using limit = options.clock.deadline(patience);
      const ask = { asked, isAnswer, server, port: options.port ?? 53, signal: limit.signal };
      const answer = await options.clock.track(options.udp ? byDatagram(ask) : byConnection(ask));
      return numbered(answer, query.id);
    } catch {
      // The next one may know.
    }
  }
  return undefined;
}

interface Ask {
  readonly asked: Buffer;
  readonly isAnswer: (message: Buffer) => boolean;
  readonly server: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

async function byDatagram({ asked, isAnswer, server, port, signal }: Ask): Promise<Buffer> {
  const socket = createSocket({ type: server.includes(":") ? "udp6" : "udp4" });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onAbort = (): void => reject(new Error(`${server} did not answer`));
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("error", reject);
  socket.on("message", (message) => {
    if (isAnswer(message)) resolve(message);
  });
  // Connected, so that only that server's answers are taken.
  socket.connect(port, server, () => {
    try {
      socket.send(asked, () => undefined);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.close();
  }
}

async function byConnection({ asked, isAnswer, server, port, signal }: Ask): Promise<Buffer> {
  const socket = connect({ host: server, port, signal });
  socket.on("error", () => undefined); // Who reads from it hears of it, too.
  try {
    socket.write(lengthPrefixed(asked));
    for await (const message of messagesOf(socket)) if (isAnswer(message)) return message;
    throw new Error(`${server} closed the connection`);
  } finally {
    socket.destroy();
  }
}

function numbered(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

/** Whether a message is the answer to a question: the same number, and the same question or none. */
function answersTo(asked: Buffer, question: Buffer): (message: Buffer) => boolean {
  const lower = question.toString("latin1").toLowerCase();
  return (message) => {
    if (message.length < 12 || message.readUInt16BE(0) !== asked.readUInt16BE(0)) return false;
    const isResponse = (message.readUInt16BE(2) & 0x8000) !== 0;
    if (!isResponse) return false;
    if (message.readUInt16BE(4) === 0) return true;
    return message.toString("latin1", 12, 12 + question.length).toLowerCase() === lower;
  };
}
