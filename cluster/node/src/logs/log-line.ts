/** One entry of a container's log file: a line, or a piece of one. */
export interface LogEntry {
  /** As written: RFC 3339 with nanoseconds. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** False: the line goes on in the next entry of this stream. */
  readonly whole: boolean;
  readonly text: string;
}

/** Reads `2026-11-15T21:33:33.063449199+00:00 stdout F text`; undefined when the line is something else. */
export function parseLogLine(line: string): LogEntry | undefined {
  const match = /^(\S+) (stdout|stderr) ([FP])(?::\S*)? ?(.*)$/su.exec(line);
  if (match === null) return undefined;
  const [, time = "", stream, tag, text = ""] = match;
  return { time, stream: stream === "stderr" ? "stderr" : "stdout", whole: tag === "F", text };
}
