import { createHash } from "node:crypto";

/** A name that nftables takes, the same for the same text. */
export function nameFor(prefix: string, text: string): string {
  return `${prefix}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
