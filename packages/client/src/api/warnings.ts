import type { ApiHeaders } from "@kedge/machinery";

/** What a server wants its users to know: a deprecated version, an unknown field. */
export interface Warning {
  readonly text: string;
  /** The call that caused it: `POST /api/v1/namespaces/default/pods`. */
  readonly call: string;
}

/** Warnings of an answer's `Warning` headers (`299 - "text"`), in order. Malformed ones are passed over. */
export function warningsOf(headers: ApiHeaders, call: string): Warning[] {
  const header = headers["warning"];
  if (header === undefined) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...parseWarnings(line)].map((text) => ({ text, call })));
}

/** HTTP/2 servers and proxies may join several into one line, separated by commas. */
function* parseWarnings(line: string): Generator<string> {
  const warning = /\s*299 (?:[^\s"]+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/y;
  for (let match = warning.exec(line); match !== null; match = warning.exec(line)) {
    yield (match[1] ?? "").replaceAll(/\\(.)/g, "$1");
    if (warning.lastIndex >= line.length) return;
  }
}
