import type { MicroTime, Time } from "./metadata.ts";

/** Milliseconds since 1970 as Kubernetes writes times: seconds, in UTC. Parts of a second are cut off. */
export function formatTime(ms: number): Time {
  const second = Math.floor(ms / 1000);
  // Who writes asks for the same second hundreds of times.
  if (second !== last.second)
    last = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  return last.text;
}

let last: { readonly second: number; readonly text: Time } = { second: 0, text: "1970-01-01T00:00:00Z" };

/** Milliseconds since 1970 as Kubernetes writes the times of leases and events: with six digits after the second. */
export function formatMicroTime(ms: number): MicroTime {
  const microseconds = Math.floor((((ms % 1000) + 1000) % 1000) * 1000);
  return `${new Date(ms).toISOString().slice(0, 19)}.${String(microseconds).padStart(6, "0")}Z`;
}

/** Reads a time of the wire into milliseconds since 1970. Throws when it is not one. */
export function parseTime(text: string): number {
  const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new TypeError(`time ${JSON.stringify(text)}: must be as RFC 3339 has it, 2026-11-15T21:36:02Z`);
  }
  return ms;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/u;
