import { isJsonList, isJsonObject, parseJsonExactly, type NumberReader } from "@kedge/machinery";
import { checkValues, mostValues, tooManyValues } from "./most-values.ts";
import { deepest, JsonSyntaxError, scanJson } from "./scan-json.ts";
import { readWritten } from "./written-number.ts";

/** A JSON text, read. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether some key is there twice. Which one, only a scan of the text says: that is slow, and hardly ever needed. */
  readonly hasDuplicates: boolean;
  /** Whether some numbers are as `readWritten` leaves them. */
  readonly hasWritten: boolean;
}

/**
 * Reads JSON, of so many objects, and refuses it with Go's errors. `as written` keeps the text of numbers where it counts
 * (`readWritten`). Throws a `JsonSyntaxError`, or a 413 for too many values.
 */
export function parseJson(
  text: string,
  objects = 1,
  numbers: "as written" | "as values" = "as values",
): ParsedJson {
  const { keys, commas, depth, hasFractions } = measure(text);
  // There are more values than commas: such a text need not be read at all.
  const isPatch = text.trimStart().startsWith("[");
  if (commas > (isPatch || text.includes('"managedFields"') ? 3 : 1) * objects * mostValues)
    throw tooManyValues("it");
  // The scanner knows which error comes first.
  if (depth > deepest) scanJson(text);
  const hasWritten = hasFractions && numbers === "as written";
  const value = parsed(text, hasWritten ? readWritten : undefined);
  // Only JSON patches are lists, and their operations are counted.
  const found = isJsonList(value) || objects > 1 ? keysIn(value) : checkValues(value);
  return { value, hasDuplicates: keys !== found, hasWritten };
}

function parsed(text: string, readNumber: NumberReader | undefined): unknown {
  try {
    return parseJsonExactly(text, readNumber);
  } catch (cause) {
    scanJson(text);
    throw new JsonSyntaxError("invalid JSON", { cause });
  }
}

const quote = 0x22;
const backslash = 0x5c;

interface Measures {
  readonly keys: number;
  readonly commas: number;
  readonly depth: number;
  /** Whether a number has a fraction or an exponent. */
  readonly hasFractions: boolean;
}

/** How many keys and commas a JSON text has, how deep it is, and what numbers. Of what is no JSON it says anything. */
function measure(text: string): Measures {
  let keys = 0;
  let commas = 0;
  let depth = 0;
  let deepestHere = 0;
  let hasFractions = false;
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
      case 0x2e: // .
      case 0x45: // E
        hasFractions = true;
        break;
      case 0x65: // e, also of true and false
        if (isDigit(text.charCodeAt(at - 1))) hasFractions = true;
        break;
      default:
    }
  }
  return { keys, commas, depth: deepestHere, hasFractions };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
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
