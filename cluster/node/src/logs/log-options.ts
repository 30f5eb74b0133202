import { parseTime } from "@kedge/machinery";

/** Which part of a log is wanted, and how it is shown. */
export interface LogOptions {
  readonly follow: boolean;
  /** Of the run before this one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Undefined: all lines. */
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Milliseconds since 1970; only what was written then or later. */
  readonly since: number | undefined;
  /** Undefined: both. */
  readonly stream: "stdout" | "stderr" | undefined;
}

/** Reads the query of `/containerLogs`. Throws a text that names the parameter and the rule. */
export function logOptionsOf(query: URLSearchParams, now: number): LogOptions {
  const seconds = wholeNumber(query, "sinceSeconds");
  const time = query.get("sinceTime");
  if (seconds !== undefined && time !== null)
    throw new Error("at most one of sinceSeconds and sinceTime may be set");
  const stream = query.get("stream") ?? "All";
  if (!["All", "Stdout", "Stderr"].includes(stream))
    throw new Error(`stream is "${stream}": must be All, Stdout or Stderr`);
  return {
    follow: isTrue(query, "follow"),
    previous: isTrue(query, "previous"),
    timestamps: isTrue(query, "timestamps"),
    tailLines: wholeNumber(query, "tailLines"),
    limitBytes: wholeNumber(query, "limitBytes"),
    since:
      time !== null && time !== ""
        ? parseTime(time)
        : seconds === undefined
          ? undefined
          : now - seconds * 1000,
    stream: stream === "Stdout" ? "stdout" : stream === "Stderr" ? "stderr" : undefined,
  };
}

function isTrue(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value === "true" || value === "1";
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new Error(`${name} is "${text}": must be a whole number of at least 0`);
  return value;
}
