/** How much of a log is told. */
const longest = 300;
const mostLines = 3;

/** The end of a container's log, short enough for a status: whole lines, or the beginning of one that is too long. */
export function lastWords(text: string): string {
  const lines = text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F]/gu, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-mostLines);
  while (lines.length > 1 && lines.join(separator).length > longest) lines.shift();
  const words = lines.join(separator);
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}

const separator = " | ";
