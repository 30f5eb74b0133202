import { connect, type Socket } from "node:net";
import type { Clock } from "@kedge/machinery";
import { encode, ReplyReader, ServerError, type Reply } from "./replies.ts";

/** Where a server listens, and what it asks for. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
}

/** A connection that can carry many commands at once. */
export interface RedisConnection extends Disposable {
  /** Which process answers: another one after each start of the server. */
  readonly runId: string;
  /** Sends all at once; each reply is told in turn, with its place. Told nothing any more when it has ended. */
  send(commands: readonly (readonly string[])[], onReply: (reply: Reply, index: number) => void): void;
  /** One command. Fails when the connection ends, when the server complains, or after the time. */
  call(words: readonly string[], timeoutMs?: number): Promise<Reply>;
  /** Told once, whoever ended it. */
  onEnd(listener: () => void): void;
}

const usualTimeout = 10_000;

/** Connects, logs in and asks who is there. All of it within the time. */
export async function connectRedis(
  { host, port, password }: ServerAddress,
  { clock, timeoutMs = usualTimeout }: { readonly clock: Clock; readonly timeoutMs?: number },
): Promise<RedisConnection> {
  const socket = connect({ host, port, noDelay: true });
  const pipe = new Pipe(socket);
  using limit = clock.deadline(timeoutMs);
  limit.signal.addEventListener("abort", () => socket.destroy());
  const call = (words: readonly string[]): Promise<Reply> => pipe.call(words);
  try {
    if (password !== undefined) await call(["AUTH", password]);
    const info = await call(["INFO", "server"]);
    const runId = /^run_id:(\w+)/mu.exec(String(info))?.[1] ?? "";
    return {
      runId,
      send: (commands, onReply) => pipe.send(commands, onReply),
      async call(words, callTimeout = usualTimeout) {
        using callLimit = clock.deadline(callTimeout);
        callLimit.signal.addEventListener("abort", () => socket.destroy());
        return await pipe.call(words);
      },
      onEnd: (listener) => pipe.onEnd(listener),
      [Symbol.dispose]: () => socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

interface Waiting {
  readonly onReply: (reply: Reply) => void;
  readonly onEnd: () => void;
}

/** Replies come in the order of the commands. */
class Pipe {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #first = 0;
  #hasEnded = false;
  readonly #listeners: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new ReplyReader();
    socket.on("data", (chunk) => {
      for (const reply of reader.read(chunk)) this.#next()?.onReply(reply);
    });
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("close", () => this.#end());
  }

  send(commands: readonly (readonly string[])[], onReply: (reply: Reply, index: number) => void): void {
    for (const index of commands.keys())
      this.#waiting.push({ onReply: (reply) => onReply(reply, index), onEnd: () => undefined });
    if (!this.#hasEnded) this.#socket.write(commands.map(encode).join(""));
  }

  async call(words: readonly string[]): Promise<Reply> {
    const reply = await new Promise<Reply>((resolve, reject) => {
      const onEnd = (): void => reject(new Error(`the connection ended before ${words[0]} was answered`));
      if (this.#hasEnded) {
        onEnd();
        return;
      }
      this.#waiting.push({ onReply: resolve, onEnd });
      this.#socket.write(encode(words));
    });
    if (reply instanceof ServerError) throw reply;
    return reply;
  }

  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#listeners.push(listener);
  }

  #next(): Waiting | undefined {
    const found = this.#waiting[this.#first];
    this.#first++;
    if (this.#first > 1000) this.#waiting.splice(0, this.#first);
    if (this.#first > 1000) this.#first = 0;
    return found;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { onEnd } of this.#waiting.splice(this.#first)) onEnd();
    for (const listener of this.#listeners) listener();
  }
}
