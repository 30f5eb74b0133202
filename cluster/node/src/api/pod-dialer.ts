import { spawn, type ChildProcess } from "node:child_process";
import { connect, Socket } from "node:net";

/** Makes connections to ports of a pod, as its own `localhost`. */
export interface PodDialer extends Disposable {
  /** Rejects with why nobody took it up. */
  dial(port: number): Promise<Socket>;
}

/** A dialer for a network namespace; undefined: the host's. Nothing is started before the first connection. */
export function podDialer(namespacePath: string | undefined): PodDialer {
  if (namespacePath !== undefined) return new NamespaceDialer(namespacePath);
  return { dial: (port) => dialHere(port, ["127.0.0.1", "::1"], []), [Symbol.dispose]: () => undefined };
}

/** Tries one address after the other. */
async function dialHere(
  port: number,
  [host, ...others]: readonly string[],
  refusals: readonly string[],
): Promise<Socket> {
  if (host === undefined) throw new Error(refusals.join(", "));
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.once("error", reject);
  socket.once("connect", () => {
    socket.off("error", reject);
    resolve(socket);
  });
  try {
    return await promise;
  } catch (error) {
    return await dialHere(port, others, [
      ...refusals,
      error instanceof Error ? error.message : String(error),
    ]);
  }
}

/**
 * What runs inside the pod's network: it connects, and hands the connection over. A process cannot visit a namespace
 * without moving there as a whole, but a connection that was made there can be used from anywhere.
 */
const helperProgram = `
const { connect } = require("node:net");
const dial = (id, port, [host, ...others], refusals) => {
  if (host === undefined) return process.send({ id, refusal: refusals.join(", ") });
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.pause();
  const again = (error) => dial(id, port, others, [...refusals, error.message]);
  socket.once("error", again);
  socket.once("connect", () => {
    socket.off("error", again);
    socket.on("error", () => undefined);
    process.send({ id }, socket, () => undefined);
  });
};
process.on("message", ({ id, port }) => dial(id, port, ["127.0.0.1", "::1"], []));
process.on("disconnect", () => process.exit());
`;

/** More of what a helper complains of is thrown away. */
const longestComplaint = 2048;

type Waiting = ReturnType<typeof Promise.withResolvers<Socket>>;

/** Keeps one helper in the namespace, for as long as somebody dials. */
class NamespaceDialer implements PodDialer {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #helper: ChildProcess | undefined;
  #dials = 0;
  #isOver = false;

  constructor(path: string) {
    this.#path = path;
  }

  async dial(port: number): Promise<Socket> {
    if (this.#isOver) throw new Error("nobody dials any more");
    const id = (this.#dials += 1);
    const waiting = Promise.withResolvers<Socket>();
    this.#waiting.set(id, waiting);
    this.#helper ??= this.#start();
    this.#helper.send({ id, port }, (error) => {
      if (error !== null) this.#fail(error.message);
    });
    return await waiting.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#fail("the connection is over");
    this.#helper?.kill("SIGKILL");
  }

  #start(): ChildProcess {
    const args = [`--net=${this.#path}`, "--", process.execPath, "-e", helperProgram];
    const helper = spawn("nsenter", args, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    let complaint = "";
    helper.stderr?.on("data", (text: Buffer) => {
      complaint = `${complaint}${text.toString("utf8")}`.slice(0, longestComplaint);
    });
    helper.on("error", ({ message }) => this.#fail(message));
    helper.once("close", (code) => {
      if (this.#helper === helper) this.#helper = undefined;
      this.#fail(complaint.trim() || `the helper in the pod's network ended with ${code}`);
    });
    helper.on("message", (message, socket) => this.#answer(message, socket));
    return helper;
  }

  #answer(message: unknown, socket: unknown): void {
    const answer = typeof message === "object" && message !== null ? message : {};
    const id = "id" in answer ? Number(answer.id) : 0;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (socket instanceof Socket) {
      // Before it can end: what the pod closes on its side may still be written to.
      socket.allowHalfOpen = true;
      if (waiting === undefined) socket.destroy();
      else waiting.resolve(socket);
      return;
    }
    // Its other end was gone before it was handed over, or there was none.
    const why = "refusal" in answer ? String(answer.refusal) : "the connection was closed at once";
    waiting?.reject(new Error(why));
  }

  #fail(why: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of all) waiting.reject(new Error(why));
  }
}
