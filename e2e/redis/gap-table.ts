import type { Row } from "./compare.ts";

/** The figures as a table: a line for each fault and subject, and what we are of Sentinel. */
export function gapTable(rows: readonly Row[]): string {
  const lines = [
    ["fault", "subject", "times", "gap ms: median", "least", "most", "lost", "late", "of Sentinel's"],
  ];
  for (const { fault, subject, figures, problems } of rows) {
    const gaps = figures.map(({ gapMs }) => gapMs).toSorted((one, other) => one - other);
    const peer = rows.find((row) => row.fault === fault && row.subject !== subject);
    const isOurs = subject !== "Sentinel";
    lines.push([
      fault,
      subject,
      `${figures.length}${problems.length > 0 ? ` (${problems.length} failed)` : ""}`,
      ms(median(gaps)),
      ms(gaps[0]),
      ms(gaps.at(-1)),
      String(figures.reduce((sum, { lost }) => sum + lost.length, 0)),
      String(figures.reduce((sum, { late, lateToStubborn }) => sum + late + lateToStubborn, 0)),
      isOurs ? ratio(median(gaps), median(peer?.figures.map(({ gapMs }) => gapMs) ?? [])) : "",
    ]);
  }
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(0);
}

function ratio(ours: number | undefined, theirs: number | undefined): string {
  return ours === undefined || theirs === undefined ? "–" : `${(ours / theirs).toFixed(2)}×`;
}
