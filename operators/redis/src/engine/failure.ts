/** What a server says no with, as its errors begin. Others are `ERR`. */
export const replyCodes = [
  "ERR",
  "LOADING",
  "MASTERDOWN",
  "NOREPLICAS",
  "READONLY",
  "BUSY",
  "OOM",
  "MISCONF",
  "NOAUTH",
  "WRONGPASS",
  "NOPERM",
  "EXECABORT",
  "NOGOODSLAVE",
  "INPROG",
  "UNBLOCKED",
  "NOSCRIPT",
  "WRONGTYPE",
  "CLUSTERDOWN",
] as const;

/** What went wrong on the way. */
export const wayCodes = [
  /** Nobody listens at the address: the machine is there, the server is not. */
  "REFUSED",
  /** No way to the address, or no such name. */
  "UNREACHABLE",
  /** No answer in time. */
  "TIMEOUT",
  /** The connection was ended by the other side, with no reply begun. */
  "CLOSED",
  /** The connection was ended in the middle of a reply. */
  "HALFREPLY",
  /** What came is not the protocol of Redis. */
  "PROTOCOL",
  /** A reply is larger than was agreed. */
  "TOOLARGE",
  /** Whoever asked does not want to know any more. */
  "ABORTED",
] as const;

/** Why there is no good answer. */
export type FailureCode = (typeof replyCodes)[number] | (typeof wayCodes)[number];

/** A server's refusal, or the reason why there is none. Never holds a password. */
export class RedisFailure extends Error {
  override readonly name = "RedisFailure";
  readonly code: FailureCode;
  /** A connection was there: the machine answers, whatever its server does. */
  readonly wasReached: boolean;

  constructor(
    code: FailureCode,
    message: string,
    options?: ErrorOptions & { readonly wasReached?: boolean },
  ) {
    super(message, options);
    this.code = code;
    this.wasReached = options?.wasReached ?? false;
  }

  /** Whether a server has said this itself: it is alive. */
  get isReply(): boolean {
    return knownReplies.has(this.code);
  }
}

const knownReplies: ReadonlySet<string> = new Set(replyCodes);

/** The failure that a server's error line is. */
export function replyFailure(line: string): RedisFailure {
  const [word = ""] = line.split(" ", 1);
  const code = replyCodes.find((known) => known === word) ?? "ERR";
  return new RedisFailure(code, line.slice(0, longestMessage));
}

/** Servers quote what they were sent: a message is for people, and needs not all of it. */
const longestMessage = 500;

/** Any error of the way as a failure. */
export function wayFailure(error: unknown, where: string): RedisFailure {
  if (error instanceof RedisFailure) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const text = error instanceof Error ? error.message : String(error);
  return new RedisFailure(wayCodeOf(code), `${where}: ${text}`, { cause: error });
}

function wayCodeOf(code: string): FailureCode {
  if (code === "ECONNREFUSED") return "REFUSED";
  if (code === "ECONNRESET" || code === "EPIPE") return "CLOSED";
  return code === "ETIMEDOUT" ? "TIMEOUT" : "UNREACHABLE";
}
