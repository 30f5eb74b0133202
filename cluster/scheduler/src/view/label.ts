import type { Labels } from "@kedge/machinery";

/** The value of a label. "constructor" is a valid key, and every object inherits one. */
export function labelOf(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}
