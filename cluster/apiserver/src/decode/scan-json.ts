/** JSON that cannot be parsed. The text is that of Go's parser. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** What a scan of a text found beside its value. */
export interface JsonScan {
  /** Paths of keys that are there twice, at their second appearance: `data.a`, `spec.containers[0].name`. */
  readonly duplicates: readonly string[];
  /** All paths in the order of the text; a duplicate is there again. */
  readonly paths: readonly string[];
}

/** Reads JSON for what `JSON.parse` does not tell. Throws a `JsonSyntaxError`. */
export function scanJson(text: string): JsonScan {
  const scanner = new Scanner(text);
  scanner.whole();
  return scanner;
}

const deepest = 10_000;

class Scanner implements JsonScan {
  readonly duplicates: string[] = [];
  readonly paths: string[] = [];
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    this.#value("");
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected("after top-level value");
  }

  #value(path: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#nested(() => this.#object(path));
    else if (first === "[") this.#nested(() => this.#array(path));
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

  #object(path: string): void {
    this.#at++;
    this.#space();
    const seen = new Set<string>();
    if (this.#take("}")) return;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      const child = path === "" ? key : `${path}.${key}`;
      this.paths.push(child);
      if (seen.has(key)) this.duplicates.push(child);
      seen.add(key);
      this.#space();
      if (!this.#take(":")) throw this.#unexpected("after object key");
      this.#value(child);
      this.#space();
      if (this.#take("}")) return;
      if (!this.#take(",")) throw this.#unexpected("after object key:value pair");
    }
  }

  #array(path: string): void {
    this.#at++;
    this.#space();
    if (this.#take("]")) return;
    for (let index = 0; ; index++) {
      this.#value(`${path}[${index}]`);
      this.#space();
      if (this.#take("]")) return;
      if (!this.#take(",")) throw this.#unexpected("after array element");
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw endOfInput();
      if (character < " ") throw this.#unexpected("in string literal");
      this.#at++;
      if (character === '"') break;
      if (character === "\\") this.#escape();
    }
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
    while (/^[ \t\r\n]$/u.test(this.#text[this.#at] ?? "")) this.#at++;
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
