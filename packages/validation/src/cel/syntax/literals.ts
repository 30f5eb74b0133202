import { Bytes, Uint } from "../values/values.ts";
import type { Literal } from "./expression.ts";
import type { Token } from "./tokens.ts";

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

/** The value of a token that is a literal, or what is wrong with it. */
export function literalOf(
  token: Token,
  negative: boolean,
): { readonly value: Literal["value"] } | { readonly wrong: string } {
  switch (token.kind) {
    case "NUM_INT": {
      const magnitude = BigInt(token.text);
      const value = negative ? -magnitude : magnitude;
      return value > maxInt || value < minInt ? { wrong: "invalid int literal" } : { value };
    }
    case "NUM_UINT": {
      const value = BigInt(token.text.slice(0, -1));
      return value > maxUint ? { wrong: "invalid uint literal" } : { value: new Uint(value) };
    }
    case "NUM_FLOAT": {
      const value = Number(token.text) * (negative ? -1 : 1);
      return Number.isFinite(value) ? { value } : { wrong: "invalid double literal" };
    }
    case "STRING":
      return unescaped(token.text, false);
    case "BYTES":
      return unescaped(token.text.slice(1), true);
    case "'true'":
      return { value: true };
    case "'false'":
      return { value: false };
    default:
      return { value: null };
  }
}

function unescaped(
  quoted: string,
  isBytes: boolean,
): { readonly value: string | Bytes } | { readonly wrong: string } {
  const normal = quoted.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const raw = /^[rR]/u.test(normal);
  const text = raw ? normal.slice(1) : normal;
  const marks = text.length >= 6 && /^(?:'''|""")/u.test(text) ? 3 : 1;
  const inside = text.slice(marks, -marks);
  if (!isBytes) {
    if (raw) return { value: inside };
    if (surrogate.test(inside)) return { wrong: "invalid unicode code point" };
    return { value: inside.replace(escapes, (escape) => characterOf(escape)) };
  }
  if (raw) return { value: new Bytes(Buffer.from(inside)) };
  if (/\\[uU]/u.test(inside.replaceAll("\\\\", ""))) return { wrong: "unable to unescape string" };
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { 0: escape, index } of inside.matchAll(escapes)) {
    parts.push(Buffer.from(inside.slice(from, index)), bytesOf(escape));
    from = index + escape.length;
  }
  return { value: new Bytes(Buffer.concat([...parts, Buffer.from(inside.slice(from))])) };
}

const escapes = /\\(?:[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-3][0-7][0-7]|[\s\S])/gu;
const surrogate = /\\(?:u[dD][89a-fA-F]|U(?!000|0010)|U0000[dD][89a-fA-F])/u;

const simple: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

function characterOf(escape: string): string {
  const letter = escape.charAt(1);
  if ("xXuU".includes(letter)) return String.fromCodePoint(Number.parseInt(escape.slice(2), 16));
  if (/[0-3]/u.test(letter)) return String.fromCodePoint(Number.parseInt(escape.slice(1), 8));
  return simple[letter] ?? letter;
}

/** In bytes an escaped number is a byte, not a character. */
function bytesOf(escape: string): Uint8Array {
  const letter = escape.charAt(1);
  if ("xX".includes(letter)) return Uint8Array.of(Number.parseInt(escape.slice(2), 16));
  if (/[0-3]/u.test(letter)) return Uint8Array.of(Number.parseInt(escape.slice(1), 8));
  return Buffer.from(characterOf(escape));
}
