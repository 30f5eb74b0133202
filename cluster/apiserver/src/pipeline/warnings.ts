/** So many characters of warnings are sent as they are. Clients refuse answers with long headers. */
const mostCharacters = 4 * 1024;

/** When there are more, each is cut to so many, and what is beyond `mostCharacters` is left out. */
const mostOfEach = 256;

/** The warnings of one answer: each once, in their order, and never too many of them. */
export class Warnings {
  readonly #texts = new Set<string>();
  #characters = 0;
  #cut = false;

  add(text: string): void {
    if (text === "" || this.#texts.has(text) || (this.#cut && this.#characters >= mostCharacters)) return;
    this.#texts.add(text);
    this.#characters += this.#lengthOf(text);
    if (this.#cut || this.#characters <= mostCharacters) return;
    this.#cut = true;
    this.#characters = 0;
    for (const each of this.#texts) this.#characters += this.#lengthOf(each);
  }

  /** The values of the header. */
  get headers(): readonly string[] {
    return Array.from(this.#texts, (text) => headerOf(this.#cut ? shortened(text) : text));
  }

  #lengthOf(text: string): number {
    return this.#cut ? Math.min(lengthOf(text), mostOfEach) : lengthOf(text);
  }
}

/** In characters, not in halves of them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function shortened(text: string): string {
  // A character has two halves at most.
  return Array.from(text.slice(0, 2 * mostOfEach))
    .slice(0, mostOfEach)
    .join("");
}

/** `299 - "text"`, quoted as HTTP wants it. */
function headerOf(text: string): string {
  const line = text.replaceAll(/[\r\n]+/gu, " ").replaceAll(/\p{Cc}/gu, "");
  return `299 - "${line.replaceAll(/[\\"]/gu, String.raw`\$&`)}"`;
}
