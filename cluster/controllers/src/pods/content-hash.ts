import { sortedKeys } from "../sorted-keys.ts";

/** Letters and digits that make no words. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A short name for JSON content, whatever the order of its keys. `attempt` gives another name for the same content. */
export function contentHash(content: unknown, attempt = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${JSON.stringify(sortedKeys(content))}${attempt === 0 ? "" : attempt}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return Array.from(String(hash), (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}
