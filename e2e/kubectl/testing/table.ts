/** A table as kubectl prints it. */
export interface PrintedTable {
  readonly titles: readonly string[];
  /** What changes from run to run is replaced: `<age>`, `<ip>`, `<time> ago`. */
  readonly rows: readonly (readonly string[])[];
}

/** Takes a table apart by the places of its titles: cells may be empty, titles and cells may hold single spaces. */
export function readTable(text: string): PrintedTable {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const starts = Array.from(head.matchAll(/\S+(?: \S+)*/gu), ({ index }) => index);
  const cut = (line: string): readonly string[] =>
    starts.map((start, column) => line.slice(start, starts[column + 1]).trim());
  return { titles: cut(head), rows: lines.map((line) => cut(line).map(steady)) };
}

/** The lines of a watch: each is as wide as it needs, so that only the gaps tell where a cell ends. */
export function readWatch(text: string): readonly (readonly string[])[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/u).map(steady));
}

function steady(cell: string): string {
  return cell
    .replace(/^(?:\d+[smhd]){1,2}$/u, "<age>")
    .replace(/\((?:\d+[smhd]){1,2} ago\)/u, "(<age> ago)")
    .replaceAll(/\b\d+\.\d+\.\d+\.\d+\b/gu, "<ip>")
    .replace(/-[a-z0-9]{5,10}-[a-z0-9]{5}$/u, "-<hash>-<id>")
    .replace(/^pvc-[-0-9a-f]{36}$/u, "<volume>");
}
