import { PkiError } from "./pki-error.ts";

/** One element of DER: its tag, what it holds, and all of it. */
export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** Reads the elements that bytes hold, one after the other. Throws when they are cut off. */
export function readElements(bytes: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = readElement(bytes.subarray(at));
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** Reads the first element. */
export function readElement(bytes: Uint8Array): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new PkiError("asn1: syntax error: data truncated");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || first === 0x80) throw new PkiError("asn1: structure error: length too large");
  let length = first < 0x80 ? first : 0;
  for (const byte of bytes.subarray(2, 2 + lengthBytes)) length = length * 256 + byte;
  const begin = 2 + lengthBytes;
  if (begin + length > bytes.length) throw new PkiError("asn1: syntax error: data truncated");
  return { tag, content: bytes.subarray(begin, begin + length), whole: bytes.subarray(0, begin + length) };
}

/** The elements within one, which has to have this tag. */
export function within(element: Element | undefined, tag: number): readonly Element[] {
  return readElements(contentOf(element, tag));
}

/** What an element holds, which has to have this tag. */
export function contentOf(element: Element | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag)
    throw new PkiError("asn1: structure error: tags don't match (an element is missing or is another one)");
  return element.content;
}

/** Tags of DER. */
export const tags = { bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30, set: 0x31, first: 0xa0 };
