import { lastWords } from "@kedge/runtime";

/**
 * What a server said last, for a status: its errors, without process, role and time, which differ each time. A server
 * that was killed has said none. A line of the config that has a password in it is not repeated.
 */
export function serverWords(text: string): string {
  const told = wholeLines(text)
    .map((line) => logLine.exec(line.trim())?.groups ?? { level: "#", said: line })
    .filter(({ level, said = "" }) => level === "#" && !advice.test(said));
  return lastWords(told.map(({ said = "" }) => withoutSecrets(said)).join("\n"));
}

/** Of a long log Kubernetes keeps the last 2048 bytes, which begin in the middle of a line. */
function wholeLines(text: string): readonly string[] {
  const lines = text.split("\n");
  return Buffer.byteLength(text) < 2048 ? lines : lines.slice(1);
}

/** `1:M 16 Nov 2026 09:58:40.715 # Can't handle RDB format version 12` */
const logLine = /^\d+:[XCSM] \d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2}\.\d{3} (?<level>[.*#-]) (?<said>.*)$/u;

/** What every server says of its machine when it starts. */
const advice = /^\s*warning/iu;

/** The server repeats a line that it cannot read: `>>> 'requirepass "…'`. */
function withoutSecrets(line: string): string {
  return line.replace(
    /^(?<start>\s*>>> '\s*(?:requirepass|masterauth|primaryauth|user|tls-\S*pass)\b).*$/iu,
    "$<start> …'",
  );
}
