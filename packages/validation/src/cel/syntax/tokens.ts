import type { Issues } from "./issues.ts";

/** Kinds of tokens, as messages name them; operators and keywords are their own kind: `'=='`. */
export type TokenKind =
  | "NUM_FLOAT"
  | "NUM_INT"
  | "NUM_UINT"
  | "STRING"
  | "BYTES"
  | "IDENTIFIER"
  | "ESC_IDENTIFIER"
  | "<EOF>"
  | `'${string}'`;

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

/** Cuts an expression into tokens. What is none is told, and left out. */
export function tokensOf(source: string, issues: Issues): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = afterSpace(source, at);
    if (at >= source.length) break;
    const found = tokenAt(source, at);
    if ("failed" in found) {
      const upTo = found.failed + 1;
      issues.add(at, `Syntax error: token recognition error at: '${printable(source.slice(at, upTo))}'`);
      at = upTo;
      continue;
    }
    tokens.push({ kind: found.kind, text: source.slice(at, found.end), at });
    at = found.end;
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", at: source.length });
  return tokens;
}

/** Either a token and where it ends, or where the text stops to be the beginning of one. */
type Found = { readonly kind: TokenKind; readonly end: number } | { readonly failed: number };

function tokenAt(source: string, at: number): Found {
  const text = stringAt(source, at);
  if (text !== undefined && !("failed" in text)) return text;
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [match] = pattern.exec(source) ?? [];
    if (match === undefined) continue;
    if (kind !== "IDENTIFIER") return { kind, end: at + match.length };
    return { kind: keywords.has(match) ? `'${match}'` : kind, end: at + match.length };
  }
  const operator = operators.find((each) => source.startsWith(each, at));
  if (operator !== undefined) return { kind: `'${operator}'`, end: at + operator.length };
  if (text !== undefined) return text;
  return { failed: "=&|".includes(source.charAt(at)) ? at + 1 : at };
}

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ["NUM_FLOAT", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/uy],
  ["NUM_UINT", /(?:0x[\da-fA-F]+|\d+)[uU]/uy],
  ["NUM_INT", /(?:0x[\da-fA-F]+|\d+)/uy],
  ["IDENTIFIER", /[A-Za-z_][A-Za-z0-9_]*/uy],
  ["ESC_IDENTIFIER", /`[A-Za-z0-9_.\-/ ]+`/uy],
];

const keywords = new Set(["in", "true", "false", "null"]);

/** Longer ones first. */
const operators = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
];

function afterSpace(source: string, from: number): number {
  let at = from;
  for (;;) {
    if (at < source.length && " \t\r\n\f".includes(source.charAt(at))) at += 1;
    else if (source.startsWith("//", at)) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else return at;
  }
}

/** A text or bytes in quotes; undefined when nothing like it begins here. */
function stringAt(source: string, at: number): Found | undefined {
  const bytes = /[bB]/u.test(source.charAt(at));
  const rawAt = bytes ? at + 1 : at;
  const raw = /[rR]/u.test(source.charAt(rawAt));
  const open = raw ? rawAt + 1 : rawAt;
  const quote = source.charAt(open);
  if (quote !== '"' && quote !== "'") return undefined;
  const kind = bytes ? "BYTES" : "STRING";
  const triple = source.startsWith(quote.repeat(3), open)
    ? quotedEnd(source, open + 3, quote.repeat(3), raw)
    : undefined;
  if (triple !== undefined && triple.closed) return { kind, end: triple.end };
  const single = quotedEnd(source, open + 1, quote, raw);
  if (single.closed) return { kind, end: single.end };
  // A prefix alone is an identifier, and the quote is looked at again after it.
  return open > at ? undefined : { failed: single.end };
}

function quotedEnd(
  source: string,
  from: number,
  quote: string,
  raw: boolean,
): { readonly closed: boolean; readonly end: number } {
  let at = from;
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { closed: true, end: at + quote.length };
    const character = source.charAt(at);
    if (quote.length === 1 && (character === "\n" || character === "\r")) return { closed: false, end: at };
    if (character === "\\" && !raw) {
      escape.lastIndex = at;
      const [match] = escape.exec(source) ?? [];
      if (match === undefined) return { closed: false, end: at + 1 };
      at += match.length;
    } else at += 1;
  }
  return { closed: false, end: at };
}

const escape = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/uy;

function printable(text: string): string {
  return text.replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r");
}
