import { KeyObject } from "node:crypto";
import type { CertificateWithKey } from "../types.ts";
import {
  BasicConstraintsExtension,
  Name,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "../x509.ts";

const algorithms = {
  rsa: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  p384: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-256" },
} as const;

/** An authority as others make it: another type of key, and a key identifier that is not the usual hash of the key. */
export async function foreignAuthority(type: keyof typeof algorithms): Promise<CertificateWithKey> {
  const keys = await crypto.subtle.generateKey(algorithms[type], true, ["sign", "verify"]);
  const name = new Name([{ CN: [{ utf8String: "foreign" }] }]);
  const certificate = await X509CertificateGenerator.create({
    subject: name,
    issuer: name,
    serialNumber: "01",
    notBefore: new Date("2026-01-01T00:00:00Z"),
    notAfter: new Date("2036-01-01T00:00:00Z"),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectKeyIdentifierExtension("c0ffee"),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
  return { certificate: certificate.toString("pem"), key };
}
