/** How much is told. */
const longest = 300;
const mostLines = 3;

/**
 * What a server said last, for a status: its warnings and errors, without process, role and time, which differ each
 * time. A line of the config that has a password in it is not repeated.
 */
export function serverWords(text: string): string {
  const lines = text
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F]/gu, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const told = lines.map((line) => logLine.exec(line)?.groups ?? { level: "#", said: line });
  const serious = told.filter(({ level }) => level === "#");
  return (serious.length > 0 ? serious : told)
    .map(({ said = "" }) => withoutSecrets(said))
    .slice(-mostLines)
    .join(" | ")
    .slice(-longest);
}

/** `1:M 16 Nov 2026 09:58:40.715 # Can't handle RDB format version 12` */
const logLine = /^\d+:[XCSM] \d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2}\.\d{3} (?<level>[.*#-]) (?<said>.*)$/u;

/** The server repeats a line that it cannot read: `>>> 'requirepass "…'`. */
function withoutSecrets(line: string): string {
  return line.replace(
    /^(?<start>>>> '\s*(?:requirepass|masterauth|primaryauth|user|tls-\S*pass)\b).*$/iu,
    "$<start> …'",
  );
}
