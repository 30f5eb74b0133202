/**
 * The words of a value as Redis splits them: "…" with escapes, '…' with \' only, each followed by a space or the end.
 * Undefined when a quote is not closed.
 */
export function configWords(value: string): readonly string[] | undefined {
  const word = /^(?:\s+|"(?:\\.|[^"\\])*"(?=\s|$)|'(?:\\'|[^'])*'(?=\s|$)|[^\s"']+)/u;
  const words: string[] = [];
  let isInside = false;
  let rest = value;
  while (rest !== "") {
    const [found] = word.exec(rest) ?? [];
    if (found === undefined) return undefined;
    const isGap = found.trim() === "";
    // A quote in the middle of a word does not end it.
    if (isInside && !isGap) words.push(`${words.pop() ?? ""}${unquoted(found)}`);
    else if (!isGap) words.push(unquoted(found));
    isInside = !isGap;
    rest = rest.slice(found.length);
  }
  return words;
}

function unquoted(word: string): string {
  return /^(["']).*\1$/su.test(word) ? word.slice(1, -1) : word;
}
