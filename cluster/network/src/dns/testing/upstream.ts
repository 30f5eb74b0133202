import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { encode } from "dns-packet";
import { readQuery } from "../read-query.ts";
import { lengthPrefixed, messagesOf } from "../tcp-messages.ts";

/** The name server of a machine, which knows one address for all names. */
export interface Upstream {
  readonly port: number;
  /** `liar first`: answers come, but not to what was asked; only then the right one. */
  mode: "answer" | "silent" | "liar first";
  close(): Promise<void>;
}

/** Starts it, by datagram and by connection. */
export async function startUpstream(): Promise<Upstream> {
  const datagrams = createSocket("udp4");
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  const { port } = datagrams.address();
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    const serve = async (): Promise<void> => {
      for await (const message of messagesOf(connection)) {
        for (const answer of answersTo(message, upstream.mode)) connection.write(lengthPrefixed(answer));
      }
    };
    serve().catch(() => connection.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const upstream: Upstream = {
    port,
    mode: "answer",
    async close() {
      datagrams.close();
      server.close();
      await once(server, "close");
    },
  };
  datagrams.on("message", (message, from) => {
    for (const answer of answersTo(message, upstream.mode)) datagrams.send(answer, from.port, from.address);
  });
  return upstream;
}

function answersTo(message: Buffer, mode: Upstream["mode"]): readonly Buffer[] {
  const read = readQuery(message);
  if (read.outcome !== "query" || mode === "silent") return [];
  const right = answerOf(read.query.id, read.query.name, "192.0.2.1");
  if (mode === "answer") return [right];
  const other = answerOf(read.query.id ^ 1, read.query.name, "198.51.100.1");
  const another = answerOf(read.query.id, "elsewhere.example", "198.51.100.2");
  return [message, other, another, right];
}

function answerOf(id: number, name: string, address: string): Buffer {
  return encode({
    type: "response",
    id,
    questions: [{ type: "A", name }],
    answers: [{ type: "A", name, ttl: 5, data: address }],
  });
}
