import type { InstanceReport, ServerRow } from "./report.ts";

/** An instance's report for people. */
export function reportText(report: InstanceReport): string {
  const { namespace, name, primary, epoch, primarySince } = report;
  const since = primarySince === undefined ? "" : `, since ${primarySince}`;
  return [
    `RedisInstance ${namespace}/${name}`,
    `  status    ${report.status} ${report.ready}${report.message === "" ? "" : `: ${report.message}`}`,
    `  image     ${report.image}`,
    `  primary   ${primary}${epoch === undefined ? "" : ` (epoch ${epoch}${since})`}`,
    "",
    ...table([titles, ...report.servers.map(cells)]),
    ...report.servers.flatMap(({ pod, problem }) => (problem === undefined ? [] : [`  ${pod}: ${problem}`])),
    ...section(
      "CONDITIONS",
      report.conditions.map(({ type, reason, message }) => `${type} (${reason}): ${message}`),
    ),
    ...section("ADVICE", report.advice),
    "",
  ].join("\n");
}

const titles = ["POD", "ROLE", "READY", "LINK", "LAG", "MEMORY", "KEYS", "CLIENTS", "VERSION", "NODE"];

function cells(row: ServerRow): readonly string[] {
  const { memoryBytes, maxMemoryBytes = 0 } = row;
  const most = maxMemoryBytes > 0 ? ` of ${bytesText(maxMemoryBytes)}` : "";
  return [
    row.pod,
    row.role,
    row.ready ? "yes" : "no",
    row.link ?? "-",
    row.lagBytes === undefined ? "-" : bytesText(row.lagBytes),
    memoryBytes === undefined ? "-" : `${bytesText(memoryBytes)}${most}`,
    String(row.keys ?? "-"),
    String(row.clients ?? "-"),
    row.version ?? "-",
    row.node ?? "-",
  ];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  - ${line}`)];
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power] ?? "B"}`;
}
