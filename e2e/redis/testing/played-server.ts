import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { encode } from "../ledger/replies.ts";

/** A server that does what a test says: it can be silent, refuse, forget, and come back as another process. */
export interface PlayedServer extends AsyncDisposable {
  readonly port: number;
  runId: string;
  /** What a write is answered. Undefined: nothing at all. */
  answer: string | undefined;
  /** What `WAIT` is answered. */
  replicas: number;
  readonly keys: Map<string, string>;
  /** Cuts all connections. */
  cut(): void;
}

/** Listens on a port of its own. Knows AUTH, INFO, SET, WAIT and MGET. */
export async function playServer(): Promise<PlayedServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    let rest = "";
    socket.on("data", (chunk) => {
      rest += chunk.toString();
      for (;;) {
        const found = commandIn(rest);
        if (found === undefined) break;
        rest = rest.slice(found.length);
        const answer = reply(found.words);
        if (answer !== undefined) socket.write(answer);
      }
    });
  });
  const played = {
    port: 0,
    runId: "first",
    answer: "+OK\r\n" as string | undefined,
    replicas: 0,
    keys: new Map<string, string>(),
    cut: () => sockets.forEach((socket) => socket.destroy()),
    async [Symbol.asyncDispose]() {
      played.cut();
      server.close();
      await once(server, "close");
    },
  };
  const reply = ([name = "", key = "", value = "", ...more]: readonly string[]): string | undefined => {
    if (name === "AUTH") return "+OK\r\n";
    if (name === "INFO") return encode([`run_id:${played.runId}`]).slice("*1\r\n".length);
    if (name === "WAIT") return `:${played.replicas}\r\n`;
    if (name === "MGET") {
      const keys = [key, ...(value === "" ? [] : [value]), ...more];
      return `*${keys.length}\r\n${keys.map((one) => bulk(played.keys.get(one))).join("")}`;
    }
    if (played.answer === "+OK\r\n") played.keys.set(key, value);
    return played.answer;
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  played.port = (server.address() as AddressInfo).port;
  return played;
}

function bulk(text: string | undefined): string {
  return text === undefined ? "$-1\r\n" : `$${text.length}\r\n${text}\r\n`;
}

function commandIn(text: string): { readonly words: readonly string[]; readonly length: number } | undefined {
  const [, count = ""] = /^\*(\d+)\r\n/u.exec(text) ?? [];
  if (count === "") return undefined;
  const words: string[] = [];
  let at = count.length + 3;
  for (let index = 0; index < Number(count); index++) {
    const [head = "", length = ""] = /^\$(\d+)\r\n/u.exec(text.slice(at)) ?? [];
    const end = at + head.length + Number(length);
    if (head === "" || text.length < end + 2) return undefined;
    words.push(text.slice(at + head.length, end));
    at = end + 2;
  }
  return { words, length: at };
}
