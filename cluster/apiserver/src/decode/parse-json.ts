import { isJsonList, isJsonObject, parseJsonExactly } from "@kedge/machinery";
import { checkValues, mostValues, tooManyValues } from "./most-values.ts";
import { deepest, JsonSyntaxError, scanJson } from "./scan-json.ts";

/** A JSON text, read. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether some key is there twice. Which one, only a scan of the text says: that is slow, and hardly ever needed. */
  readonly hasDuplicates: boolean;
}

/** Reads JSON, of so many objects, and refuses it with Go's errors. Throws a `JsonSyntaxError`, or a 413 for too many values. */
export function parseJson(text: string, objects = 1): ParsedJson {
  const { keys, commas, depth } = measure(text);
  // There are more values than commas: such a text need not be read at all.
  const isPatch = text.trimStart().startsWith("[");
  if (commas > (isPatch || text.includes('"managedFields"') ? 3 : 1) * objects * mostValues)
    throw tooManyValues("it");
  // The scanner knows which error comes first.
  if (depth > deepest) scanJson(text);
  const value = parsed(text);
  // Only JSON patches are lists, and their operations are counted.
  const found = isJsonList(value) || objects > 1 ? keysIn(value) : checkValues(value);
  return { value, hasDuplicates: keys !== found };
}

function parsed(text: string): unknown {
  try {
    return parseJsonExactly(text);
  } catch (cause) {
    scanJson(text);
    throw new JsonSyntaxError("invalid JSON", { cause });
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** How many keys and commas a JSON text has, and how deep it is. Of what is no JSON it says anything. */
function measure(text: string): { readonly keys: number; readonly commas: number; readonly depth: number } {
  let keys = 0;
  let commas = 0;
  let depth = 0;
  let deepestHere = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x2c: // ,
        commas++;
        break;
      case 0x3a: // :
        keys++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepestHere) deepestHere = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      default:
    }
  }
  return { keys, commas, depth: deepestHere };
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function keysIn(value: unknown): number {
  let keys = 0;
  if (isJsonList(value)) {
    for (const item of value) if (typeof item === "object") keys += keysIn(item);
  } else if (isJsonObject(value)) {
    for (const key in value) {
      keys++;
      const child = value[key];
      if (typeof child === "object") keys += keysIn(child);
    }
  }
  return keys;
}
