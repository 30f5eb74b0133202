import type { Overload } from "../values/environment.ts";
import { intType, listOf, stringType, dynType } from "../values/types.ts";
import { CelError, isList, PlainList, type Value } from "../values/values.ts";
import { noSuchOverload } from "../values/equality.ts";
import { itemsOf, list, method, fn, textAndInts, texts } from "./declare.ts";
import { formatText } from "./format-text.ts";

/** The extension `strings`, version 2. Indices count characters, not bytes. */
export function strings(): Overload[] {
  const listOfText = listOf(stringType);
  return [
    method("charAt", "string_char_at_int", [stringType, intType, stringType], textAndInts(charAt)),
    method("indexOf", "string_index_of_string", [stringType, stringType, intType], search(firstIndex)),
    method(
      "indexOf",
      "string_index_of_string_int",
      [stringType, stringType, intType, intType],
      search(firstIndex),
    ),
    method(
      "lastIndexOf",
      "string_last_index_of_string",
      [stringType, stringType, intType],
      search(lastIndex),
    ),
    method(
      "lastIndexOf",
      "string_last_index_of_string_int",
      [stringType, stringType, intType, intType],
      search(lastIndex),
    ),
    method(
      "lowerAscii",
      "string_lower_ascii",
      [stringType, stringType],
      texts((text = "") => ascii(text, /[A-Z]+/gu, (part) => part.toLowerCase())),
    ),
    method(
      "upperAscii",
      "string_upper_ascii",
      [stringType, stringType],
      texts((text = "") => ascii(text, /[a-z]+/gu, (part) => part.toUpperCase())),
    ),
    method(
      "replace",
      "string_replace_string_string",
      [stringType, stringType, stringType, stringType],
      replace,
    ),
    method(
      "replace",
      "string_replace_string_string_int",
      [stringType, stringType, stringType, intType, stringType],
      replace,
    ),
    method("split", "string_split_string", [stringType, stringType, listOfText], split),
    method("split", "string_split_string_int", [stringType, stringType, intType, listOfText], split),
    method("substring", "string_substring_int", [stringType, intType, stringType], textAndInts(substring)),
    method(
      "substring",
      "string_substring_int_int",
      [stringType, intType, intType, stringType],
      textAndInts(substring),
    ),
    method(
      "trim",
      "string_trim",
      [stringType, stringType],
      texts((text = "") => text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, "")),
    ),
    method("format", "string_format", [stringType, listOf(dynType), stringType], (text = null, args = null) =>
      typeof text === "string" && isList(args) ? formatText(text, itemsOf(args)) : noSuchOverload,
    ),
    fn(
      "strings.quote",
      "strings_quote",
      [stringType, stringType],
      texts((text = "") => quote(text)),
    ),
    method(
      "join",
      "list_join",
      [listOfText, stringType],
      list((from) => join(itemsOf(from), "")),
    ),
    method(
      "join",
      "list_join_string",
      [listOfText, stringType, stringType],
      list((from, separator = "") =>
        typeof separator === "string" ? join(itemsOf(from), separator) : noSuchOverload,
      ),
    ),
  ];
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** Characters of a text. Where each is one unit, as in almost all texts, the text itself does as well. */
function charactersOf(text: string): string | readonly string[] {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

function charAt(text: string, index = 0n): Value {
  const all = charactersOf(text);
  if (index < 0n || index > all.length) return outOfRange(index);
  return all[Number(index)] ?? "";
}

function ascii(text: string, letters: RegExp, changed: (part: string) => string): Value {
  return text.replace(letters, changed);
}

/** Where one text is in another, from an index on. */
type Search = (
  all: string | readonly string[],
  part: string | readonly string[],
  from: bigint | undefined,
) => Value;

function search(find: Search): NonNullable<Overload["run"]> {
  return (text = null, part = null, from) => {
    if (typeof text !== "string" || typeof part !== "string") return noSuchOverload;
    const start = typeof from === "bigint" ? from : undefined;
    const [all, wanted] = [charactersOf(text), charactersOf(part)];
    // A text and a list of characters cannot be compared by position.
    return typeof all === typeof wanted
      ? find(all, wanted, start)
      : find(Array.from(text), Array.from(part), start);
  };
}

function firstIndex(all: string | readonly string[], part: string | readonly string[], from = 0n): Value {
  if (part.length === 0) return from;
  if (from < 0n) return outOfRange(from);
  if (typeof all === "string" && typeof part === "string") return BigInt(all.indexOf(part, Number(from)));
  for (let at = Number(from); at <= all.length - part.length; at += 1) {
    if (isAt(all, part, at)) return BigInt(at);
  }
  return -1n;
}

function lastIndex(all: string | readonly string[], part: string | readonly string[], from?: bigint): Value {
  if (part.length === 0) return from ?? BigInt(all.length);
  if (from === undefined && all.length < part.length) return -1n;
  const start = from ?? BigInt(all.length - 1);
  if (start < 0n) return outOfRange(start);
  if (start >= all.length) return -1n;
  if (typeof all === "string" && typeof part === "string")
    return BigInt(all.lastIndexOf(part, Number(start)));
  for (let at = Math.min(Number(start), all.length - part.length); at >= 0; at -= 1) {
    if (isAt(all, part, at)) return BigInt(at);
  }
  return -1n;
}

function isAt(all: string | readonly string[], part: string | readonly string[], at: number): boolean {
  return Array.from(part).every((character, index) => all[at + index] === character);
}

function replace(text: Value = null, old: Value = null, by: Value = null, most: Value = -1n): Value {
  if (
    typeof text !== "string" ||
    typeof old !== "string" ||
    typeof by !== "string" ||
    typeof most !== "bigint"
  ) {
    return noSuchOverload;
  }
  // Surrounds every character when what is replaced is nothing.
  const parts = old === "" ? ["", ...Array.from(text)] : text.split(old);
  const pieces = old === "" ? [...parts, ""] : parts;
  const count = most < 0n ? pieces.length - 1 : Math.min(Number(most), pieces.length - 1);
  if (by.length * count + text.length > longestText)
    return new CelError("operation cancelled: actual cost limit exceeded");
  const rest = pieces.slice(count).join(old === "" ? "" : old);
  return [...pieces.slice(0, count), rest].join(by);
}

/** Characters that a text may grow to: what the server makes of such an expression is only that it is too costly. */
const longestText = 10_000_000;

function split(text: Value = null, separator: Value = null, most: Value = -1n): Value {
  if (typeof text !== "string" || typeof separator !== "string" || typeof most !== "bigint")
    return noSuchOverload;
  if (most === 0n) return new PlainList([]);
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (most < 0n || parts.length <= most) return new PlainList(parts);
  const kept = parts.slice(0, Number(most) - 1);
  return new PlainList([...kept, parts.slice(Number(most) - 1).join(separator)]);
}

function substring(text: string, start = 0n, end?: bigint): Value {
  const all = charactersOf(text);
  const last = end ?? BigInt(all.length);
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > all.length) return outOfRange(start);
  if (last < 0n || last > all.length) return outOfRange(last);
  const part = all.slice(Number(start), Number(last));
  return typeof part === "string" ? part : part.join("");
}

function join(parts: readonly Value[], separator: string): Value {
  const found = parts.filter((part) => typeof part === "string");
  return found.length === parts.length ? found.join(separator) : new CelError("join: invalid input");
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

function quote(text: string): string {
  return `"${text.toWellFormed().replaceAll(needsEscape, (character) => escapes.get(character) ?? character)}"`;
}

const needsEscape = new RegExp(
  `[${Array.from(escapes.keys(), (character) => (character === "\\" ? "\\\\" : character)).join("")}]`,
  "gu",
);
