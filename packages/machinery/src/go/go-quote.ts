/** Quotes text as Go's `%q` does: most of Kubernetes' messages hold names and values quoted this way. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${Array.from(text, quoteCharacter).join("")}"`;
}

const plain = /^[ !#-[\]-~]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const named: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

function quoteCharacter(character: string): string {
  const name = named.get(character);
  if (name !== undefined) return name;
  if (printable.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x80) return `\\x${hex.padStart(2, "0")}`;
  // Half a surrogate pair cannot be written as UTF-8: it reaches Go as the replacement character.
  if (point >= 0xd800 && point <= 0xdfff) return "\ufffd";
  return point < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
