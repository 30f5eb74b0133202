import { decode, encode, RECURSION_DESIRED, type Answer } from "dns-packet";
import { readQuery, type DnsQuery } from "./read-query.ts";

/** No answer that is taken apart is longer: a name in it may point to others, and takes as long to read. */
const longestAnswer = 4096;

/** Asks other servers for what a name of theirs has of a type; nothing when they do not answer. */
export async function followBeyond(
  name: string,
  type: number,
  ask: (message: Buffer, query: DnsQuery) => Promise<Buffer | undefined>,
): Promise<readonly Answer[]> {
  const asked = questionFor(name, type);
  const read = readQuery(asked);
  if (read.outcome !== "query") return [];
  const answer = await ask(asked, read.query);
  if (answer === undefined || answer.length > longestAnswer) return [];
  try {
    return decode(answer).answers ?? [];
  } catch {
    return [];
  }
}

/** The type is written as its number: not all have a name. */
function questionFor(name: string, type: number): Buffer {
  const message = encode({
    type: "query",
    id: 0,
    flags: RECURSION_DESIRED,
    questions: [{ type: "A", class: "IN", name: name.replace(/\.$/u, "") }],
  });
  message.writeUInt16BE(type, message.length - 4);
  return message;
}
