/** JSON that cannot be parsed. The text is that of Go's parser. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Hears of each key of a text, in its order. True ends the scan. */
export type KeyListener = (path: () => string, key: FoundKey) => boolean;

/** One appearance of a key. */
export interface FoundKey {
  /** Whether its object has had it before. */
  readonly repeated: boolean;
  readonly name: string;
  /** Where its text begins. */
  readonly at: number;
}

/** Reads JSON for what `JSON.parse` does not tell: what is wrong with it, and its keys. Throws a `JsonSyntaxError`. */
export function scanJson(text: string, onKey: KeyListener = () => false): void {
  new Scanner(text, onKey).whole();
}

/** Objects and lists may be in each other so often: everything here walks them by recursion. Go allows 10,000. */
export const deepest = 1000;

/** Where a value stands. Its text is made only when somebody asks. */
interface Place {
  readonly parent: Place | undefined;
  readonly step: string | number;
}

class Scanner {
  readonly #text: string;
  readonly #onKey: KeyListener;
  #at = 0;
  #depth = 0;
  #ended = false;

  constructor(text: string, onKey: KeyListener) {
    this.#text = text;
    this.#onKey = onKey;
  }

  whole(): void {
    this.#value(undefined);
    if (this.#ended) return;
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected("after top-level value");
  }

  #value(place: Place | undefined): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#nested(() => this.#object(place));
    else if (first === "[") this.#nested(() => this.#array(place));
    else if (first === '"') this.#string();
    else if (first === "t") this.#literal("true");
    else if (first === "f") this.#literal("false");
    else if (first === "n") this.#literal("null");
    else if (first === "-" || isDigit(first)) this.#number();
    else throw this.#unexpected("looking for beginning of value");
  }

  #nested(read: () => void): void {
    if (++this.#depth > deepest) throw new JsonSyntaxError("exceeded max depth");
    read();
    this.#depth--;
  }

  #object(place: Place | undefined): void {
    this.#at++;
    this.#space();
    const seen = new Set<string>();
    if (this.#take("}")) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#unexpected("looking for beginning of object key string");
      const at = this.#at;
      const name = this.#string();
      const child = { parent: place, step: name };
      this.#ended = this.#onKey(() => pathOf(child), { name, at, repeated: seen.has(name) });
      if (this.#ended) return;
      seen.add(name);
      this.#space();
      if (!this.#take(":")) throw this.#unexpected("after object key");
      this.#value(child);
      if (this.#ended) return;
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) throw this.#unexpected("after object key:value pair");
    }
  }

  #array(place: Place | undefined): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (let index = 0; ; index++) {
      this.#value({ parent: place, step: index });
      if (this.#ended) return;
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) throw this.#unexpected("after array element");
    }
  }

  #string(): string {
    const start = this.#at++;
    let escaped = false;
    for (;;) {
      if (this.#at >= this.#text.length) throw endOfInput();
      const code = this.#text.charCodeAt(this.#at);
      if (code < 0x20) throw this.#unexpected("in string literal");
      this.#at++;
      if (code === 0x22) break;
      if (code !== 0x5c) continue;
      this.#escape();
      escaped = true;
    }
    if (!escaped) return this.#text.slice(start + 1, this.#at - 1);
    const value: unknown = JSON.parse(this.#text.slice(start, this.#at));
    return String(value);
  }

  #escape(): void {
    const character = this.#text[this.#at];
    if (character === undefined) throw endOfInput();
    if (!'bfnrt\\/"u'.includes(character)) throw this.#unexpected("in string escape code");
    this.#at++;
    if (character !== "u") return;
    for (let digit = 0; digit < 4; digit++) {
      if (!/[0-9a-f]/iu.test(this.#text[this.#at] ?? ""))
        throw this.#unexpected("in \\u hexadecimal character escape");
      this.#at++;
    }
  }

  #literal(word: string): void {
    for (const expected of word) {
      if (this.#text[this.#at] !== expected) {
        throw this.#unexpected(`in literal ${word} (expecting ${quoteCharacter(expected)})`);
      }
      this.#at++;
    }
  }

  #number(): void {
    const negative = this.#take("-");
    if (!isDigit(this.#text[this.#at]) && negative) throw this.#unexpected("in numeric literal");
    if (!this.#take("0")) this.#digits();
    if (this.#take(".")) {
      if (!isDigit(this.#text[this.#at])) throw this.#unexpected("after decimal point in numeric literal");
      this.#digits();
    }
    if (this.#take("e") || this.#take("E")) {
      if (!this.#take("+")) this.#take("-");
      if (!isDigit(this.#text[this.#at])) throw this.#unexpected("in exponent of numeric literal");
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#text[this.#at])) this.#at++;
  }

  #space(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #unexpected(where: string): JsonSyntaxError {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#text.length) return endOfInput();
    return new JsonSyntaxError(`invalid character ${quoteCharacter(character)} ${where}`);
  }
}

/** `spec.containers[0].name`. */
function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (typeof at.step === "number") steps.push(`[${at.step}]`);
    else steps.push(at.parent === undefined ? at.step : `.${at.step}`);
  }
  return steps.toReversed().join("");
}

function endOfInput(): JsonSyntaxError {
  return new JsonSyntaxError("unexpected end of JSON input");
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= "0" && character <= "9";
}

/** Go looks at bytes: of a character of several, at its first. */
function quoteCharacter(character: string): string {
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  return quoteByte(new TextEncoder().encode(character)[0] ?? 0);
}

/** A byte as Go quotes the character of that number. */
export function quoteByte(byte: number): string {
  if (byte < 0x20 || byte === 0x7f)
    return `'${controls[byte] ?? `\\x${byte.toString(16).padStart(2, "0")}`}'`;
  if (byte >= 0x80 && byte < 0xa1) return `'\\u00${byte.toString(16)}'`;
  return byte === 0x5c ? String.raw`'\\'` : `'${String.fromCharCode(byte)}'`;
}

const controls: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};
