import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { isTest } from "./rooms.ts";

/**
 * The circles of imports in a folder of sources, type-only imports too. Looked for between neighbours at every level: a
 * folder counts as one thing, with all that is in it. `a/x.ts` → `b/y.ts` → `a/z.ts` is the circle `a → b → a`.
 */
export function folderCycles(folder: string): readonly string[] {
  const graphs = new Map<string, Graph>();
  for (const [file, imported] of importsOf(folder)) {
    const { parent, from, to } = neighbours(file, imported);
    if (from === to) continue;
    const graph = graphs.get(parent) ?? new Map<string, Map<string, string>>();
    graphs.set(parent, graph);
    const known = graph.get(from) ?? new Map<string, string>();
    graph.set(from, known.set(to, known.get(to) ?? `${file} imports ${imported}`));
  }
  return [...graphs].flatMap(([parent, graph]) =>
    circlesOf(graph).map((text) => `${parent || "."}: ${text}`),
  );
}

/** Neighbours, whom each imports, and by which file for example. */
type Graph = Map<string, Map<string, string>>;

/** What each file of a folder imports from the same folder, as paths from there. Tests may import in circles. */
function importsOf(folder: string): readonly (readonly [string, string])[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !isTest(`/${file.split(sep).join("/")}`),
  );
  return files.flatMap((file) => {
    const code = readFileSync(join(folder, file), "utf8");
    const found = code.matchAll(
      /^(?:import|export)\b[^"';]*["'](\.[^"']+)["']|\bimport\(["'](\.[^"']+)["']\)/gmu,
    );
    return Array.from(found, ([, named = "", called = named]) => {
      const imported = relative(folder, join(folder, dirname(file), called));
      return [file, imported] as const;
    });
  });
}

/** The folder in which the paths of two files part, and what each goes on with. */
function neighbours(a: string, b: string): { parent: string; from: string; to: string } {
  const [left, right] = [a.split(sep), b.split(sep)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return { parent: left.slice(0, at).join("/"), from: left[at] ?? "", to: right[at] ?? "" };
}

/** One circle for each set of neighbours that reach each other, as short as it can be. */
function circlesOf(graph: Graph): readonly string[] {
  const told = new Set<string>();
  const circles: string[] = [];
  for (const start of graph.keys()) {
    const circle = told.has(start) ? undefined : shortestCircle(graph, start);
    if (circle === undefined) continue;
    for (const name of circle) told.add(name);
    const edges = circle.slice(1).map((name, i) => graph.get(circle[i] ?? "")?.get(name) ?? "");
    circles.push(`${circle.join(" → ")} (${edges.join(", ")})`);
  }
  return circles;
}

function shortestCircle(graph: Graph, start: string): readonly string[] | undefined {
  const paths: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of graph.get(path.at(-1) ?? "")?.keys() ?? []) {
      if (next === start) return [...path, next];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}
