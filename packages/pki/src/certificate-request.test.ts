import { X509Certificate } from "node:crypto";
import { realClock, seededRandom, VirtualClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { createAuthority } from "./authority.ts";
import { maxCertificateRequestBytes, parseCertificateRequest } from "./certificate-request.ts";
import { makeRequest } from "./testing/make-request.ts";

describe("a request for a certificate", () => {
  test.each(["P-256", "P-384", "RSA", "Ed25519"] as const)(
    "with a key of %s is read and verified",
    async (key) => {
      const pem = await makeRequest({
        subject: "O=system:nodes, CN=system:node:a",
        dns: ["a.example"],
        ip: ["10.0.0.1"],
        key,
      });
      const request = parseCertificateRequest(pem);
      expect(request).toMatchObject({
        commonName: "system:node:a",
        organizations: ["system:nodes"],
        dnsNames: ["a.example"],
        emailAddresses: [],
        uris: [],
      });
      expect(request.ipAddresses.map((bytes) => [...bytes])).toEqual([[10, 0, 0, 1]]);
      expect(() => request.checkSignature()).not.toThrow();
    },
  );

  test("that was changed after it was signed is told", async () => {
    const pem = await makeRequest({ subject: "CN=alice" });
    const changed = pem.replace(/-----\n([\s\S]*?)\n-----/u, (_all, body: string) => {
      const bytes = Buffer.from(body, "base64");
      const at = bytes.indexOf("alice");
      bytes.write("mallo", at, "latin1");
      return `-----\n${bytes.toString("base64")}\n-----`;
    });
    const request = parseCertificateRequest(changed);
    expect(request.commonName).toBe("mallo");
    expect(() => request.checkSignature()).toThrow("x509: invalid signature");
  });

  test.each([
    ["nothing", "", "PEM block type must be CERTIFICATE REQUEST"],
    ["another block", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "PEM block type"],
    [
      "garbage",
      `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from("garbage").toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`,
      "asn1:",
    ],
    [
      "a length of four gigabytes",
      `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from("3084ffffffff00", "hex").toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`,
      "asn1: syntax error: data truncated",
    ],
  ])("that is %s is refused", (_name, pem, message) => {
    expect(() => parseCertificateRequest(pem)).toThrow(message);
  });

  test("may have text before it and after it", async () => {
    const pem = await makeRequest({ subject: "CN=alice" });
    expect(parseCertificateRequest(`Subject: alice\n${pem}\nthe end\n`).commonName).toBe("alice");
  });

  test.each([
    ["without an end", ""],
    ["with an end", "!-----END CERTIFICATE REQUEST-----"],
  ])("of nothing but spaces, %s, is refused at once", (_name, end) => {
    const begin = "-----BEGIN CERTIFICATE REQUEST-----";
    const pem = begin + " ".repeat(maxCertificateRequestBytes - begin.length - end.length) + end;
    const started = realClock.now();
    expect(() => parseCertificateRequest(pem)).toThrow("PEM block type must be CERTIFICATE REQUEST");
    expect(realClock.now() - started).toBeLessThan(500);
  });

  test("that is too long is refused before it is read", async () => {
    const pem = (await makeRequest({ subject: "CN=alice" })).padEnd(maxCertificateRequestBytes, "\n");
    expect(parseCertificateRequest(pem).commonName).toBe("alice");
    expect(() => parseCertificateRequest(`${pem}\n`)).toThrow(
      "certificate request: may not be more than 65536 bytes of PEM, but is 65537; ask for fewer names",
    );
  });

  test.each(["utf8String", "printableString", "ia5String"] as const)("has names as %s", async (type) => {
    const pem = await makeRequest({ subject: [{ O: [{ [type]: "system:masters" }] }] });
    expect(parseCertificateRequest(pem).organizations).toEqual(["system:masters"]);
  });

  test.each(["bmpString", "universalString"] as const)("does not hide a name as %s", async (type) => {
    const pem = await makeRequest({ subject: [{ CN: ["a"] }, { O: [{ [type]: "system:masters" }] }] });
    expect(() => parseCertificateRequest(pem)).toThrow("subject: an attribute is of another type of text");
  });

  test("has 64 attributes at most", async () => {
    const named = (count: number) =>
      makeRequest({ subject: Array.from({ length: count }, (_, i) => ({ O: [`group-${i}`] })) });
    expect(parseCertificateRequest(await named(64)).organizations).toHaveLength(64);
    const more = await named(65);
    expect(() => parseCertificateRequest(more)).toThrow(
      "subject: may not have more than 64 attributes, but has 65",
    );
  });
});

test("an authority signs it, with the names, the key and the usages that were asked for", async () => {
  const clock = new VirtualClock();
  const authority = await createAuthority({ name: "ca", clock, random: seededRandom(1) });
  const pem = await makeRequest({ subject: "C=DE, O=a, O=b, CN=x", dns: ["x.example"], ip: ["fd00::1"] });
  const signed = await authority.sign({
    request: parseCertificateRequest(pem),
    usages: ["digital signature", "server auth"],
    lifetime: 3_600_000,
  });
  const certificate = new X509Certificate(signed);
  expect(certificate.subject).toBe("C=DE\nO=a\nO=b\nCN=x");
  expect(certificate.subjectAltName).toBe("DNS:x.example, IP Address:FD00:0:0:0:0:0:0:1");
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(certificate.ca).toBe(false);
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.validToDate.getTime() - clock.now()).toBeLessThanOrEqual(3_600_000);
  const bad = { request: parseCertificateRequest(pem), usages: ["magic"], lifetime: 1000 };
  await expect(authority.sign(bad)).rejects.toThrow("unrecognized usage values");
});
