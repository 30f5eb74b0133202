// oxlint-disable-next-line import/no-unassigned-import -- it extends `Reflect`, which is all that it is for
import "reflect-metadata/lite";
import {
  type JsonNameParams,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";

/** What a request of a test says. */
export interface RequestParts {
  /** `O=system:nodes, CN=system:node:a`, or its parts with their types: `[{ O: [{ bmpString: "a" }] }]`. */
  readonly subject: JsonNameParams | string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly key?: "Ed25519" | "P-256" | "P-384" | "RSA";
}

/** A PKCS #10 request in PEM, with a new key. */
export async function makeRequest(parts: RequestParts): Promise<string> {
  const { subject, dns = [], ip = [], key = "P-256" } = parts;
  const algorithm =
    key === "RSA"
      ? {
          name: "RSASSA-PKCS1-v1_5",
          hash: "SHA-256",
          modulusLength: 2048,
          publicExponent: new Uint8Array([1, 0, 1]),
        }
      : key === "Ed25519"
        ? { name: "Ed25519" }
        : { name: "ECDSA", namedCurve: key, hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  if (!("privateKey" in keys)) throw new Error(`${key}: no pair of keys was made`);
  const names = [
    ...dns.map((value) => ({ type: "dns" as const, value })),
    ...ip.map((value) => ({ type: "ip" as const, value })),
  ];
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: new Name(subject),
    keys,
    signingAlgorithm: algorithm,
    ...(names.length > 0 && { extensions: [new SubjectAlternativeNameExtension(names)] }),
  });
  return `${request.toString("pem")}\n`;
}
