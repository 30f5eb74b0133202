/** What a session answers. Maps and pushes are lists in RESP2. */
export type Answer =
  | string
  | number
  | null
  | readonly Answer[]
  | { readonly simple: string }
  | { readonly error: string }
  | { readonly map: readonly (readonly [string, Answer])[] }
  | { readonly push: readonly Answer[] };

/** The version of the protocol that a client has chosen. */
export type Protocol = 2 | 3;

/** An answer on the wire. */
export function encodeAnswer(answer: Answer, protocol: Protocol): string {
  const parts: string[] = [];
  write(answer, protocol, parts);
  return parts.join("");
}

function write(answer: Answer, protocol: Protocol, parts: string[]): void {
  if (answer === null) parts.push(protocol === 3 ? "_\r\n" : "*-1\r\n");
  else if (typeof answer === "number") parts.push(`:${answer}\r\n`);
  else if (typeof answer === "string") parts.push(`$${Buffer.byteLength(answer)}\r\n${answer}\r\n`);
  else if (isList(answer)) writeList("*", answer, { protocol, parts });
  else if ("simple" in answer) parts.push(`+${answer.simple}\r\n`);
  else if ("error" in answer) parts.push(`-${answer.error.replaceAll(/[\r\n]+/gu, " ")}\r\n`);
  else if ("map" in answer) {
    const { map } = answer;
    parts.push(protocol === 3 ? `%${map.length}\r\n` : `*${map.length * 2}\r\n`);
    for (const [key, value] of map) {
      write(key, protocol, parts);
      write(value, protocol, parts);
    }
  } else writeList(protocol === 3 ? ">" : "*", answer.push, { protocol, parts });
}

function writeList(
  mark: string,
  list: readonly Answer[],
  { protocol, parts }: { readonly protocol: Protocol; readonly parts: string[] },
): void {
  parts.push(`${mark}${list.length}\r\n`);
  for (const element of list) write(element, protocol, parts);
}

/** `Array.isArray` does not know lists that are read-only. */
function isList(answer: Answer): answer is readonly Answer[] {
  return Array.isArray(answer);
}
