/** Errors of one expression, shown as the server shows them: with the line and an arrow. */
export class Issues {
  readonly #source: string;
  readonly #issues: { readonly offset: number; readonly message: string }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** An offset below 0 is nowhere. */
  add(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }

  get any(): boolean {
    return this.#issues.length > 0;
  }

  toString(): string {
    const sorted = this.#issues.toSorted((a, b) => a.offset - b.offset);
    const shown = sorted.slice(0, most).map(({ offset, message }) => this.#show(offset, message));
    const more = sorted.length - most;
    return [...shown, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join("\n");
  }

  #show(offset: number, message: string): string {
    if (offset < 0) return `ERROR: <input>:-1:0: ${message}`;
    const before = this.#source.slice(0, offset);
    const line = before.split("\n").length;
    const start = before.lastIndexOf("\n") + 1;
    const column = Array.from(this.#source.slice(start, offset)).length;
    const [text = ""] = this.#source.slice(start).split("\n", 1);
    const title = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    if (Buffer.byteLength(text) > longestSnippet) return title;
    const characters = Array.from(text.replaceAll("\t", " "));
    const dots = characters.slice(0, column).map((character) => (isWide(character) ? "．" : "."));
    const arrow = isWide(characters[column] ?? "") ? "＾" : "^";
    return `${title}\n | ${characters.join("")}\n | ${dots.join("")}${arrow}`;
  }
}

const most = 100;
const longestSnippet = 16_384;

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 127;
}
