import { realClock, seededRandom, VirtualClock } from "@kedge/machinery";
import { createAuthority } from "@kedge/pki";
import { expect, it } from "vitest";
import { validateCertificates } from "./certificates.ts";
import { validateRequest } from "./validation.ts";

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

it("refuses a request that is too long, without reading or repeating it", () => {
  const request = encoded(`-----BEGIN CERTIFICATE REQUEST-----${" ".repeat(64 * 1024)}`);
  const spec = { request, signerName: "example.com/a", usages: ["client auth"] };
  const object = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "a" },
    spec,
  };
  expect(validateRequest(object)).toEqual([
    { type: "FieldValueTooLong", field: "spec.request", detail: "may not be more than 65536 bytes" },
  ]);
});

it("takes a chain of certificates, with text around them", async () => {
  const options = { clock: new VirtualClock(), random: seededRandom(1) };
  const { certificate } = await createAuthority({ name: "ca", ...options });
  const chain = `a leaf\n${certificate}\nits authority\n${certificate.replaceAll("\n", "\r\n")}`;
  expect(validateCertificates(encoded(chain))).toBeUndefined();
  expect(validateCertificates(encoded(certificate.trimEnd()))).toBeUndefined();
});

it.each([
  ["nothing in PEM", "a", "must contain at least one CERTIFICATE PEM block"],
  ["no end", "-----BEGIN CERTIFICATE-----\nMIIB\n", "must contain at least one CERTIFICATE PEM block"],
  [
    "a key",
    "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n",
    'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
  ],
  [
    "headers",
    "-----BEGIN CERTIFICATE-----\nProc-Type: 4\n\nMIIB\n-----END CERTIFICATE-----\n",
    "no PEM block headers are permitted",
  ],
  [
    "garbage",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "x509: malformed certificate",
  ],
  [
    "more than a chain has",
    " ".repeat(1024 * 1024 + 1),
    "may not be more than 1048576 bytes, but is 1048577; leave out what is not of the chain",
  ],
])("refuses a certificate of %s", (_name, text, fault) => {
  expect(validateCertificates(encoded(text))).toBe(fault);
});

it("reads many blocks without an end at once", () => {
  const text = "-----BEGIN A-----\n".repeat(58_000);
  const started = realClock.now();
  expect(validateCertificates(encoded(text))).toBe("must contain at least one CERTIFICATE PEM block");
  expect(realClock.now() - started).toBeLessThan(1000);
});
