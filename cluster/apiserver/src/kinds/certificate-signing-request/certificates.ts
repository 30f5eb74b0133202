import { X509Certificate } from "node:crypto";

/** A chain has a few kilobytes. */
const maxBytes = 1024 * 1024;

/** What is wrong with certificates in PEM, base64 encoded as objects have them; undefined when nothing is. */
export function validateCertificates(encoded: string): string | undefined {
  if (encoded === "") return undefined;
  const text = Buffer.from(encoded, "base64").toString("latin1");
  if (text.length > maxBytes)
    return `may not be more than ${maxBytes} bytes, but is ${text.length}; leave out what is not of the chain`;
  const blocks = blocksIn(text);
  for (const { type, body } of blocks) {
    if (type !== "CERTIFICATE")
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
    try {
      // Read for what it throws.
      void new X509Certificate(Buffer.from(body, "base64"));
    } catch {
      return "x509: malformed certificate";
    }
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

interface Block {
  readonly type: string;
  readonly body: string;
}

/** The blocks of PEM in a text; those without an end are none. Goes over the text once, however many begin. */
function blocksIn(text: string): readonly Block[] {
  const parts = text.split("-----");
  // The last part has no dashes after it.
  return parts.slice(1, -3).flatMap((begin, i) => {
    const type = begin.startsWith("BEGIN ") ? begin.slice("BEGIN ".length) : "";
    const [body = "", end] = parts.slice(i + 2, i + 4);
    return type !== "" && end === `END ${type}` && /^\r?\n/u.test(body) ? [{ type, body }] : [];
  });
}
