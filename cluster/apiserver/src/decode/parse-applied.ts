import { isJsonObject, type JsonObject } from "@kedge/machinery";
import { isMap, isScalar, LineCounter, parseAllDocuments, visit, type Document } from "yaml";
import { DecodeError } from "./decode-error.ts";
import { goKindOf } from "./go-place.ts";
import { yamlErrorText } from "./yaml-error-text.ts";
import { yamlValue } from "./yaml-value.ts";

/** What is applied, and what is in it twice. */
export interface Applied {
  readonly value: JsonObject;
  /** `line 5: key "data" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Reads the body of an apply: YAML 1.1, of which the first document counts. Throws a `DecodeError`. */
export function parseApplied(text: string): Applied {
  const lines = new LineCounter();
  const [document] = parseAllDocuments(text, { version: "1.1", uniqueKeys: false, lineCounter: lines });
  if (document === undefined) return { value: {}, duplicates: [] };
  const [error] = document.errors;
  if (error !== undefined)
    throw new DecodeError(`error converting YAML to JSON: ${yamlErrorText(error.code, text)}`);
  const parsed = yamlValue(document);
  if (parsed !== null && !isJsonObject(parsed)) {
    throw new DecodeError(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKindOf(parsed)} into Go value of type map[string]interface {}`,
    );
  }
  return { value: { apiVersion: "", kind: "", ...parsed }, duplicates: duplicatesIn(document, lines) };
}

function duplicatesIn(document: Document, lines: LineCounter): string[] {
  const found: string[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const { key } of isMap(map) ? map.items : []) {
        const name = isScalar(key) ? String(key.value) : String(key);
        const { line } = lines.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0);
        if (seen.has(name)) found.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
        seen.add(name);
      }
    },
  });
  return found;
}
