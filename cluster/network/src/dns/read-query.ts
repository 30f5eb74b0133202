/** A question as it came, and how it wants to be answered. */
export interface DnsQuery {
  readonly id: number;
  /** Without the last dot, as it was written. */
  readonly name: string;
  /** As a number: 1 is A. */
  readonly type: number;
  readonly recursionDesired: boolean;
  /** How much the asker takes in one datagram. */
  readonly size: number;
  /** The question's own bytes, to be repeated in the answer. */
  readonly question: Buffer;
}

/** What was read: a query; what looks like one but is broken, and deserves to hear so; or nothing to be answered. */
export type ReadQuery =
  | { readonly outcome: "query"; readonly query: DnsQuery }
  | { readonly outcome: "malformed" | "not implemented"; readonly id: number }
  | { readonly outcome: "ignore" };

const headerSize = 12;
const plainSize = 512;
/** More is never needed, and would only help who floods others in our name. */
const largestSize = 4096;
const longestName = 255;
const internet = 1;
const optionRecord = 41;

/**
 * Reads a query. It has one question and no records but the asker's options, so nothing else is looked at: each byte
 * once, no compression. An answer is never answered, or two servers could talk for ever.
 */
export function readQuery(message: Buffer): ReadQuery {
  if (message.length < headerSize) return { outcome: "ignore" };
  const id = message.readUInt16BE(0);
  const flags = message.readUInt16BE(2);
  const isResponse = (flags & 0x8000) !== 0;
  if (isResponse) return { outcome: "ignore" };
  if (((flags >> 11) & 15) !== 0) return { outcome: "not implemented", id };
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at));
  if (questions !== 1 || answers !== 0 || authorities !== 0) return { outcome: "malformed", id };
  const name = nameAt(message, headerSize);
  if (name === undefined || name.end + 4 > message.length) return { outcome: "malformed", id };
  if (message.readUInt16BE(name.end + 2) !== internet) return { outcome: "not implemented", id };
  const end = name.end + 4;
  return {
    outcome: "query",
    query: {
      id,
      name: name.text,
      type: message.readUInt16BE(name.end),
      recursionDesired: (flags & 0x0100) !== 0,
      size: additionals === 0 ? plainSize : sizeAt(message, end),
      question: message.subarray(headerSize, end),
    },
  };
}

/** The name that begins somewhere. A label with bytes that no name of ours has keeps them, one character each. */
function nameAt(message: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  const labels: string[] = [];
  for (let at = start; at - start < longestName;) {
    const length = message[at];
    if (length === undefined || length > 63 || at + 1 + length > message.length) return undefined;
    if (length === 0) return { text: labels.join("."), end: at + 1 };
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return undefined;
}

/** The record of options comes first, if there is one: its class is the size. */
function sizeAt(message: Buffer, at: number): number {
  const isOption =
    at + 5 <= message.length && message[at] === 0 && message.readUInt16BE(at + 1) === optionRecord;
  if (!isOption) return plainSize;
  return Math.min(largestSize, Math.max(plainSize, message.readUInt16BE(at + 3)));
}
