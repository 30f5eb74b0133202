import {
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  visit,
  type Document,
  type Tags,
} from "yaml";
import { yamlErrorText } from "./yaml-error-text.ts";

// Runs in a thread of its own for large texts (`yaml-thread.ts`): imports nothing of other packages.

/** Which document of a text is meant: the only one, or the first of several. */
export type WhichDocument = "only" | "first";

/** A YAML text, read. */
export interface YamlText {
  /** The document as JSON. */
  readonly json: string;
  /** What is there twice, the first of them: `line 5: key "data" already set in map`. */
  readonly duplicates: readonly string[];
}

/** YAML that cannot be read. The text is that of Go's parser where it has one. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

/** Lists and objects in brackets may be in each other so often: our parser takes time by the square of that. */
const deepest = 1000;

/** More is not told of what is there twice. */
const mostDuplicates = 1000;

/**
 * Integers as bigints: those of 64 bits lose no digit. `1:30` is a text, as for Go's parser, and no number to the base
 * of 60, which would take time by the square of its length.
 */
const language = {
  version: "1.1",
  uniqueKeys: false,
  intAsBigInt: true,
  customTags: (tags: Tags) => tags.filter((tag) => typeof tag === "string" || tag.format !== "TIME"),
} as const;

/** Reads YAML of the old version, in which `yes` is true. Throws a `YamlError`. */
export function readYaml(text: string, which: WhichDocument): YamlText {
  checkDepth(text);
  const lines = new LineCounter();
  const options = { ...language, lineCounter: lines };
  const document = which === "only" ? parseDocument(text, options) : parseAllDocuments(text, options)[0];
  if (document === undefined) return { json: "{}", duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined) throw new YamlError(yamlErrorText(error.code, text));
  return { json: jsonOf(document), duplicates: duplicatesIn(document, lines) };
}

function checkDepth(text: string): void {
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > deepest) throw new YamlError(`yaml: exceeded max depth of ${deepest}`);
  }
}

/** As if it had been written in JSON: dates are text. */
function jsonOf(document: Document): string {
  try {
    // Aliases of aliases could make gigabytes of a few lines.
    const value: unknown = document.toJS({ maxAliasCount: 1000 });
    return JSON.stringify(value, withBigints) ?? "null";
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const [, anchor] = /^Unresolved alias .*: (.*)$/u.exec(why) ?? [];
    throw new YamlError(
      anchor === undefined ? `yaml: ${why}` : `yaml: unknown anchor '${anchor}' referenced`,
      { cause },
    );
  }
}

function withBigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}

function duplicatesIn(document: Document, lines: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const { key } of isMap(map) ? map.items : []) {
        const name = isScalar(key) ? String(key.value) : String(key);
        if (seen.has(name) && found.length < mostDuplicates) {
          const { line } = lines.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
          found.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
        }
        seen.add(name);
      }
    },
  });
  return found;
}
