import type { ClientHttp2Session } from "node:http2";
import type { Clock } from "@kedge/machinery";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import { GrpcStream } from "./grpc-stream.ts";
import type { Member } from "./member.ts";

/** What a call is about. */
export interface CallOptions {
  /** Whether doing it twice is as good as once: then it is sent again when its outcome is not known. */
  readonly repeatable: boolean;
  /** The whole call, with all its tries, takes so many milliseconds at most. */
  readonly timeout?: number;
}

/** So long a call may take in all. Etcd itself gives up what it cannot do after seven seconds. */
const callTimeout = 10_000;
/** So long one member may take to answer what another could answer, too. */
const tryTimeout = 4000;
/** Between tries: from this, doubled each time, up to the second. */
const [firstPause, longestPause] = [20, 500];

/** The members of one etcd cluster. Calls go to one of them, until it fails. */
export class Members {
  readonly #members: readonly Member[];
  readonly #clock: Clock;
  #current = 0;

  constructor(members: readonly Member[], clock: Clock) {
    this.#members = members;
    this.#clock = clock;
  }

  get endpoints(): readonly string[] {
    return this.#members.map(({ endpoint }) => endpoint);
  }

  /** One request, one answer. Throws a `GrpcError` at the end of its time at the latest. */
  async call(path: string, message: Uint8Array, options: CallOptions): Promise<Uint8Array> {
    const { repeatable, timeout = callTimeout } = options;
    const end = this.#clock.monotonic() + timeout;
    let last: GrpcError | undefined;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      const at = this.#current;
      const left = end - this.#clock.monotonic();
      if (left <= 0) throw last ?? deadlineExceeded(timeout);
      try {
        const alone = this.#members.length === 1 || !repeatable;
        return await this.#try(this.#member(at), {
          path,
          message,
          ms: alone ? left : Math.min(left, tryTimeout),
        });
      } catch (error) {
        if (!(error instanceof GrpcError) || !isWorthAnotherTry(error, repeatable)) throw error;
        // What a member said tells more than that there was none.
        if (last === undefined || !/ECONNREFUSED|did not accept/u.test(error.message)) last = error;
        this.leave(at);
        await this.#clock.sleep(Math.max(0, Math.min(pause, end - this.#clock.monotonic())));
      }
    }
  }

  /** A connection for a stream, and the number to `leave` it by. */
  async session(): Promise<{ readonly session: ClientHttp2Session; readonly at: number }> {
    const at = this.#current;
    return { session: await this.#member(at).session(), at };
  }

  /** Goes on with the next member, unless somebody has done so already. */
  leave(at: number): void {
    if (this.#current === at) this.#current = (at + 1) % this.#members.length;
  }

  close(): void {
    for (const member of this.#members) member.close();
  }

  #member(at: number): Member {
    const member = this.#members[at];
    if (member === undefined) throw new Error("an etcd cluster has at least one endpoint");
    return member;
  }

  async #try(
    member: Member,
    { path, message, ms }: { readonly path: string; readonly message: Uint8Array; readonly ms: number },
  ): Promise<Uint8Array> {
    const session = await member.session();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    let answer: Uint8Array | undefined;
    const stream = new GrpcStream(session, path, {
      timeout: ms,
      onMessage: (received) => (answer = received),
      onEnd: (error) => {
        if (error !== undefined) reject(error);
        else resolve(answer ?? new Uint8Array());
      },
    });
    const limit = this.#clock.timer(ms, () => {
      stream.cancel();
      reject(deadlineExceeded(ms));
    });
    stream.send(message, true);
    try {
      return await this.#clock.track(promise);
    } finally {
      limit.cancel();
    }
  }
}

function isWorthAnotherTry(error: GrpcError, repeatable: boolean): boolean {
  if (error.code === grpcCodes.unavailable) return repeatable || !error.mayHaveHappened;
  if (error.code === grpcCodes.deadlineExceeded) return repeatable;
  // RESOURCE_EXHAUSTED is said of a full database, and of too many requests at once.
  return !error.mayHaveHappened && error.message.includes("too many requests");
}

function deadlineExceeded(ms: number): GrpcError {
  return new GrpcError(grpcCodes.deadlineExceeded, `no answer in ${Math.round(ms)} ms`, {
    mayHaveHappened: true,
  });
}
