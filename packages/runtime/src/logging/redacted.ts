import type { LogFields } from "@kedge/machinery";

/** Names whose values are nobody's business, wherever they stand. */
const secretName = /pass(word|wd|phrase)|secret|token|credential|authorization|private|api-?key|client-?key/i;

/** Whole objects do not belong into a log; what is deeper than this is left out. */
const maxDepth = 4;

const mask = "[redacted]";

/** The same fields with secrets masked, by their names. A Secret's data is masked whatever its names are. */
export function redacted(fields: LogFields): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const isSecret = "kind" in fields && fields.kind === "Secret";
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const hidden = isSecret ? name === "data" || name === "stringData" : isSecretValue(name, value);
    result[name] = hidden ? mask : redactValue(value, depth);
  }
  return result;
}

/** Names of secrets (`secretName`) and references to them may be told; only the texts behind such a name are hidden. */
function isSecretValue(name: string, value: unknown): boolean {
  return (
    (typeof value === "string" || ArrayBuffer.isView(value)) &&
    secretName.test(name) &&
    !/(name|ref|file)$/i.test(name)
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  if (depth >= maxDepth) return "[deeper]";
  if (Array.isArray(value)) return value.map((item: unknown) => redactValue(item, depth + 1));
  return redactObject(value, depth + 1);
}
