import type { LostWrite } from "../ledger/ledger-book.ts";

/** Says which writes were lost, for people: how many, of which server, and when, counted from a moment. */
export function lostText(lost: readonly LostWrite[], since: number): string {
  const times = lost.map(({ at }) => at - since).toSorted((one, other) => one - other);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const servers = new Set(lost.map(({ runId }) => runId.slice(0, 8)));
  if (lost.length === 0) return "0 lost";
  return `${lost.length} lost (acknowledged ${first.toFixed(0)} to ${last.toFixed(0)} ms after the fault, by ${[...servers].join(", ")})`;
}
