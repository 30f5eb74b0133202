import { createPublicKey, verify } from "node:crypto";
import { contentOf, readElement, tags, within, type Element } from "./der.ts";
import { PkiError } from "./pki-error.ts";

/** What somebody wants to have signed. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** As bytes: four or sixteen of them. */
  readonly ipAddresses: readonly Uint8Array[];
  /** All of the name, as DER. */
  readonly subject: Uint8Array;
  /** The public key, as DER. */
  readonly publicKey: Uint8Array;
  /** Throws when it was not signed by the key that it is for. */
  checkSignature(): void;
}

/** How long a request may be, in bytes of PEM: the longest keys and hundreds of names need a fraction of it. */
export const maxCertificateRequestBytes = 64 * 1024;

/** How many attributes the name of a request may have. */
const maxAttributes = 64;

/** Reads a PKCS #10 request in PEM. Throws a `PkiError` in the words of Go's parser, as far as those can be told. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const der = Buffer.from(bodyOf(pem), "base64");
  const [info, algorithm, signature] = within(readElement(der), tags.sequence);
  const [, subject, publicKey, attributes] = within(info, tags.sequence);
  const names = attributesOf(subject);
  const alternatives = alternativeNames(attributes);
  const ofTag = (tag: number): readonly Uint8Array[] =>
    alternatives.filter((each) => each.tag === tag).map(({ content }) => content);
  const key = publicKey?.whole ?? new Uint8Array();
  return {
    commonName: names.findLast(([oid]) => oid === "550403")?.[1] ?? "",
    organizations: names.filter(([oid]) => oid === "55040a").map(([, value]) => value),
    emailAddresses: ofTag(0x81).map(textOf),
    dnsNames: ofTag(0x82).map(textOf),
    uris: ofTag(0x86).map(textOf),
    ipAddresses: ofTag(0x87),
    subject: subject?.whole ?? new Uint8Array(),
    publicKey: key,
    checkSignature: () => {
      const [oid] = within(algorithm, tags.sequence);
      const signed = contentOf(signature, tags.bitString).subarray(1);
      check({
        signed: info?.whole ?? key,
        signature: signed,
        key,
        algorithm: hexOf(contentOf(oid, tags.oid)),
      });
    },
  };
}

const beginMarker = "-----BEGIN CERTIFICATE REQUEST-----";
const endMarker = "-----END CERTIFICATE REQUEST-----";

/** What is between the markers, in base64. Strangers write it: the time this takes grows as its length does. */
function bodyOf(pem: string): string {
  if (pem.length > maxCertificateRequestBytes)
    throw new PkiError(
      `certificate request: may not be more than ${maxCertificateRequestBytes} bytes of PEM, but is ${pem.length}; ask for fewer names`,
    );
  const begin = pem.indexOf(beginMarker);
  const end = begin === -1 ? -1 : pem.indexOf(endMarker, begin);
  const body = end === -1 ? "" : pem.slice(begin + beginMarker.length, end);
  if (!/^\s[A-Za-z0-9+/=\s]+$/u.test(body)) throw new PkiError("PEM block type must be CERTIFICATE REQUEST");
  return body;
}

/** The parts of a name: identifiers and their values. */
function attributesOf(name: Element | undefined): readonly (readonly [string, string])[] {
  const pairs = within(name, tags.sequence).flatMap((set) => within(set, tags.set));
  if (pairs.length > maxAttributes)
    throw new PkiError(
      `subject: may not have more than ${maxAttributes} attributes, but has ${pairs.length}; ask for fewer organizations`,
    );
  return pairs.map((pair) => {
    const [oid, value] = within(pair, tags.sequence);
    return [hexOf(contentOf(oid, tags.oid)), attributeText(value)] as const;
  });
}

/** Types of text whose bytes are UTF-8: `UTF8String`, `PrintableString`, `IA5String`. */
const textTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16]);

/** Refuses the other types: read as UTF-8, they would say something else here than to who reads the certificate. */
function attributeText(value: Element | undefined): string {
  if (value === undefined || !textTags.has(value.tag))
    throw new PkiError(
      "subject: an attribute is of another type of text; write it as UTF8String, PrintableString or IA5String",
    );
  return Buffer.from(value.content).toString("utf8");
}

const extensionRequest = "2a864886f70d01090e";
const subjectAltName = "551d11";

function alternativeNames(attributes: Element | undefined): readonly Element[] {
  if (attributes === undefined) return [];
  for (const attribute of within(attributes, tags.first)) {
    const [oid, values] = within(attribute, tags.sequence);
    if (hexOf(contentOf(oid, tags.oid)) !== extensionRequest) continue;
    const [list] = within(values, tags.set);
    for (const extension of within(list, tags.sequence)) {
      const parts = within(extension, tags.sequence);
      if (hexOf(contentOf(parts[0], tags.oid)) !== subjectAltName) continue;
      return within(readElement(contentOf(parts.at(-1), tags.octetString)), tags.sequence);
    }
  }
  return [];
}

/** Hashes by the identifier of the signature's algorithm; of Ed25519 there is none. */
const hashes: ReadonlyMap<string, string | undefined> = new Map([
  ["2a864886f70d01010b", "sha256"],
  ["2a864886f70d01010c", "sha384"],
  ["2a864886f70d01010d", "sha512"],
  ["2a8648ce3d040302", "sha256"],
  ["2a8648ce3d040303", "sha384"],
  ["2a8648ce3d040304", "sha512"],
  ["2b6570", undefined],
]);

interface Signed {
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  readonly key: Uint8Array;
  readonly algorithm: string;
}

function check({ signed, signature, key, algorithm }: Signed): void {
  if (!hashes.has(algorithm)) throw new PkiError("x509: cannot verify signature: algorithm unimplemented");
  if (!isSigned({ signed, signature, key, algorithm })) throw new PkiError("x509: invalid signature");
}

function isSigned({ signed, signature, key, algorithm }: Signed): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key), format: "der", type: "spki" });
    return verify(hashes.get(algorithm), signed, publicKey, signature);
  } catch {
    return false;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
