import type { ApiHeaders } from "@kedge/machinery";

/** The headers that clients look at; the values that differ from run to run, or that have no meaning, are masked. */
const recorded: Readonly<Record<string, (value: string) => string>> = {
  allow: asIs,
  "audit-id": () => "<id>",
  "cache-control": asIs,
  "content-type": asIs,
  etag: () => "<etag>",
  "last-modified": () => "<time>",
  location: asIs,
  "retry-after": asIs,
  vary: asIs,
  warning: asIs,
  "www-authenticate": asIs,
};

/** What nearly every answer has: a transcript shows only what is otherwise. */
const usual: Readonly<Record<string, string>> = {
  "audit-id": "<id>",
  "cache-control": "no-cache, private",
  "content-type": "application/json",
};

/** The value of a usual header that is missing. */
const absent = "<absent>";

/** The headers of an answer as a transcript shows them. */
export function recordedHeaders(headers: ApiHeaders): Record<string, string | readonly string[]> {
  const shown: Record<string, string | readonly string[]> = {};
  for (const [name, mask] of Object.entries(recorded)) {
    const values = [headers[name] ?? []].flat().flatMap(separate).map(mask);
    const value = values.length > 1 ? values : values[0];
    if (value === undefined && usual[name] !== undefined) shown[name] = absent;
    if (value !== undefined && value !== usual[name]) shown[name] = value;
  }
  return shown;
}

/** Some doors join warnings, as HTTP allows. */
function separate(value: string): readonly string[] {
  return value.split(/, (?=299 - )/u);
}

function asIs(value: string): string {
  return value;
}
