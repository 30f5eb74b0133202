/** Letters and digits that make no words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for JSON content, whatever the order of its keys. `attempt` gives another name for the same content. */
export function contentHash(content: unknown, attempt = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${canonical(content)}${attempt === 0 ? "" : attempt}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return Array.from(String(hash), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(",")}}`;
}
