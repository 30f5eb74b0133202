import type { CertificateRequest } from "./certificate-request.ts";
import { PkiError } from "./pki-error.ts";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
} from "./x509.ts";

/** What a certificate for a request says of itself: what its key may do, and by which names it is known. */
export function requestedExtensions(
  request: CertificateRequest,
  usages: readonly string[],
): readonly Extension[] {
  const unknown = usages.filter((usage) => !flags.has(usage) && !purposes.has(usage));
  if (unknown.length > 0)
    throw new PkiError(
      `unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`,
    );
  const set = usages.flatMap((usage) => flags.get(usage) ?? []);
  const purpose = [...new Set(usages.flatMap((usage) => purposes.get(usage) ?? []))];
  const names = namesOf(request);
  return [
    new BasicConstraintsExtension(false, undefined, true),
    ...(set.length === 0 ? [] : [new KeyUsagesExtension(all(set), true)]),
    ...(purpose.length === 0 ? [] : [new ExtendedKeyUsageExtension(purpose)]),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
  ];
}

function namesOf({ dnsNames, ipAddresses, emailAddresses, uris }: CertificateRequest) {
  return [
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...ipAddresses.map((bytes) => ({ type: "ip" as const, value: addressText(bytes) })),
    ...emailAddresses.map((value) => ({ type: "email" as const, value })),
    ...uris.map((value) => ({ type: "url" as const, value })),
  ];
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw new PkiError(`x509: cannot parse IP address of length ${bytes.length}`);
  return Buffer.from(bytes)
    .toString("hex")
    .replaceAll(/(....)(?!$)/gu, "$1:");
}

function all(set: readonly KeyUsageFlags[]): KeyUsageFlags {
  return set.reduce((sum, flag) => sum | flag);
}

const flags: ReadonlyMap<string, KeyUsageFlags> = new Map([
  ["signing", KeyUsageFlags.digitalSignature],
  ["digital signature", KeyUsageFlags.digitalSignature],
  ["content commitment", KeyUsageFlags.nonRepudiation],
  ["key encipherment", KeyUsageFlags.keyEncipherment],
  ["key agreement", KeyUsageFlags.keyAgreement],
  ["data encipherment", KeyUsageFlags.dataEncipherment],
  ["cert sign", KeyUsageFlags.keyCertSign],
  ["crl sign", KeyUsageFlags.cRLSign],
  ["encipher only", KeyUsageFlags.encipherOnly],
  ["decipher only", KeyUsageFlags.decipherOnly],
]);

const purposes: ReadonlyMap<string, string> = new Map([
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
]);
