import {
  badRequest,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  goQuote,
  invalid,
  type FieldError,
} from "@kedge/machinery";
import { integer } from "../request/query.ts";
import { flag } from "../request/target.ts";

/** PodLogOptions, as the query gives them. */
export interface LogOptions {
  readonly container: string | null;
  readonly follow: boolean;
  /** Whether the node's certificate is not verified: the asker says so. */
  readonly insecure: boolean;
  /** For the kubelet. */
  readonly query: URLSearchParams;
}

/** Reads and checks the options of a log. Throws a 400 for what cannot be read, a 422 for what must not be. */
export function logOptions(query: URLSearchParams, pod: string): LogOptions {
  const tailLines = integer(query, "tailLines");
  const limitBytes = integer(query, "limitBytes");
  const sinceSeconds = integer(query, "sinceSeconds");
  const sinceTime = query.get("sinceTime") ?? undefined;
  if (sinceTime !== undefined) checkTime(sinceTime);
  const stream = query.get("stream") ?? undefined;
  const errors = errorsOf({ tailLines, limitBytes, sinceSeconds, sinceTime, stream });
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, pod, errors);
  const flags = ["follow", "previous", "timestamps"].filter((name) => flag(query, name));
  const values = { sinceSeconds, sinceTime, tailLines, limitBytes, stream };
  return {
    container: query.get("container"),
    follow: flag(query, "follow"),
    insecure: flag(query, "insecureSkipTLSVerifyBackend"),
    query: sentOn([...flags.map((name) => [name, "true"] as const), ...Object.entries(values)]),
  };
}

/** Throws a 400 for what is no time, in Go's words. */
function checkTime(text: string): void {
  let rest = text;
  for (const [part, pattern] of timeParts) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined)
      throw badRequest(
        `parsing time ${goQuote(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${goQuote(rest)} as ${goQuote(part)}`,
      );
    rest = rest.slice(found.length);
  }
  if (rest !== "") throw badRequest(`parsing time ${goQuote(text)}: extra text: ${goQuote(rest)}`);
}

/** RFC 3339, part by part. */
const timeParts: readonly (readonly [string, RegExp])[] = [
  ["2006", /^\d{4}/u],
  ["-", /^-/u],
  ["01", /^\d{2}/u],
  ["-", /^-/u],
  ["02", /^\d{2}/u],
  ["T", /^T/u],
  ["15", /^\d{2}/u],
  [":", /^:/u],
  ["04", /^\d{2}/u],
  [":", /^:/u],
  ["05", /^\d{2}(?:[.,]\d+)?/u],
  ["Z07:00", /^(?:Z|[+-]\d{2}:\d{2})/u],
];

function sentOn(entries: readonly (readonly [string, string | number | undefined])[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of entries) if (value !== undefined) query.append(name, String(value));
  return query;
}

interface Limits {
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: string | undefined;
  readonly stream: string | undefined;
}

function errorsOf({ tailLines, limitBytes, sinceSeconds, sinceTime, stream }: Limits): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(fieldInvalid("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(fieldInvalid("limitBytes", limitBytes, "must be greater than 0"));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(fieldForbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(fieldInvalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  }
  if (stream !== undefined && !streams.includes(stream)) {
    errors.push(fieldNotSupported("stream", stream, streams));
  } else if (stream !== undefined && stream !== "All" && tailLines !== undefined) {
    errors.push(fieldForbidden("", "`tailLines` and specific `stream` are mutually exclusive for now"));
  }
  return errors;
}

const streams = ["All", "Stderr", "Stdout"];
