import { LineCounter, parseDocument } from "yaml";
import { placeError, type Place } from "./place.ts";

/**
 * Parses one YAML or JSON document. The parser's own texts may quote the source, where tokens and keys stand: only
 * its code and the position are told.
 */
export function parseYaml(text: string, place: Place): unknown {
  const json = text.startsWith("{") ? parseJson(text) : undefined;
  if (json !== undefined) return json;
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, merge: true, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    const reason = error.code.toLowerCase().replaceAll("_", " ");
    throw placeError(place, `is not valid YAML: ${reason} at line ${line}, column ${col}`);
  }
  try {
    return document.toJS();
  } catch {
    throw placeError(place, "is not valid YAML: an alias has no anchor, or there are too many aliases");
  }
}

/** JSON is read much faster by itself. What is none may still be YAML, which can begin alike. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
