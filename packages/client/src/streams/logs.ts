import { withQuery } from "../transport/query.ts";
import { readLines } from "../read-lines.ts";

/** Which part of a container's log is wanted, and how. */
export interface LogOptions {
  /** The pod's only container, or its default one, unless named. */
  readonly container?: string | undefined;
  /** Stay, and get what is written from now on. */
  readonly follow?: boolean | undefined;
  /** The log of the container's previous run. */
  readonly previous?: boolean | undefined;
  /** Only what was written in the last seconds. Not together with `sinceTime`. */
  readonly sinceSeconds?: number | undefined;
  /** Only what was written since then (RFC 3339). Not together with `sinceSeconds`. */
  readonly sinceTime?: string | undefined;
  /** Begin each line with the time at which it was written (RFC 3339). */
  readonly timestamps?: boolean | undefined;
  /** Only that many lines from the end. */
  readonly tailLines?: number | undefined;
  /** Stop after that many bytes, if need be in the middle of a line. */
  readonly limitBytes?: number | undefined;
  /** One of the two streams only. Needs the feature gate PodLogsQuerySplitStreams, and not together with `tailLines`. */
  readonly stream?: "All" | "Stdout" | "Stderr" | undefined;
  /** Do not check the kubelet's certificate. What comes may then be anybody's. */
  readonly insecureSkipTLSVerifyBackend?: boolean | undefined;
}

/** Appends the options to the path of a pod's `log`. */
export function logPath(path: string, options: LogOptions): string {
  const { container, follow, previous, sinceSeconds, sinceTime, timestamps } = options;
  const { tailLines, limitBytes, stream, insecureSkipTLSVerifyBackend } = options;
  return withQuery(path, {
    container,
    follow,
    previous,
    sinceSeconds,
    sinceTime,
    timestamps,
    tailLines,
    limitBytes,
    stream,
    insecureSkipTLSVerifyBackend,
  });
}

/** Programs write what they like: a line that is longer comes in pieces. */
const maxLogLineBytes = 1 << 20;

/** A log's body as lines, each as soon as it is there. */
export function readLogLines(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  return readLines(body, { maxLineBytes: maxLogLineBytes, overlong: "split" });
}
