import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { seededRandom, VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { createAuthority, loadAuthority } from "./authority.ts";
import { PkiError } from "./pki-error.ts";
import { foreignAuthority } from "./testing/foreign-authority.ts";

const epoch = Date.UTC(2026, 5, 1, 12);
const day = 24 * 3_600_000;
const options = () => ({ clock: new VirtualClock({ epoch }), random: seededRandom(7) });
const dates = (pem: string) => {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  return [validFromDate.toISOString(), validToDate.toISOString()];
};

describe("an authority", () => {
  it("signs itself, and says that it may sign others", async () => {
    const authority = await createAuthority({ name: "kedge-ca", ...options() });
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe("CN=kedge-ca");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    expect(authority.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/u);
  });

  it("takes its validity from the clock, dated back for clocks that are late", async () => {
    const { certificate } = await createAuthority({ name: "ca", lifetime: 30 * day, ...options() });
    expect(dates(certificate)).toEqual(["2026-06-01T11:55:00.000Z", "2026-07-01T12:00:00.000Z"]);
  });

  it("may live past 2049, where certificates write years differently", async () => {
    const { certificate } = await createAuthority({ name: "ca", lifetime: 40 * 365 * day, ...options() });
    expect(dates(certificate)[1]).toBe("2066-05-22T12:00:00.000Z");
  });

  it("takes serial numbers from the random source: the same seed, the same numbers, no number twice", async () => {
    const serials = async () => {
      const authority = await createAuthority({ name: "ca", ...options() });
      const issued = await Promise.all([1, 2, 3].map((n) => authority.issueClient({ user: `u${n}` })));
      return [authority, ...issued].map(({ certificate }) => new X509Certificate(certificate).serialNumber);
    };
    const first = await serials();
    expect(await serials()).toEqual(first);
    expect(new Set(first).size).toBe(4);
  });

  it.each([
    ["an empty name", { name: "" }, "name: must not be empty"],
    [
      "no lifetime",
      { name: "ca", lifetime: 0 },
      "lifetime: 0 must be a number of milliseconds, at least 1000",
    ],
    ["a lifetime that is no number", { name: "ca", lifetime: Number.NaN }, "lifetime: NaN must be"],
  ])("refuses %s", async (_what, request, message) => {
    await expect(createAuthority({ ...request, ...options() })).rejects.toThrow(message);
  });
});

describe("a serving certificate", () => {
  it("carries its names and addresses, and is for servers only", async () => {
    const authority = await createAuthority({ name: "ca", ...options() });
    const hosts = ["api.example.org", "*.svc.cluster.local", "127.0.0.1", "fd00::1"];
    const issued = await authority.issueServing({ name: "kube-apiserver", hosts });
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.subject).toBe("CN=kube-apiserver");
    expect(certificate.subjectAltName).toBe(
      "DNS:api.example.org, DNS:*.svc.cluster.local, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:1",
    );
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  });

  it("never outlives its authority", async () => {
    const authority = await createAuthority({ name: "ca", lifetime: 2 * day, ...options() });
    const { certificate } = await authority.issueServing({ name: "a", hosts: ["a"], lifetime: 9 * day });
    expect(dates(certificate)[1]).toBe("2026-06-03T12:00:00.000Z");
  });

  it("is not issued by an authority that has expired", async () => {
    const clock = new VirtualClock({ epoch });
    const authority = await createAuthority({ name: "ca", lifetime: day, clock, random: seededRandom(1) });
    await clock.advance(day);
    await expect(authority.issueServing({ name: "a", hosts: ["a"] })).rejects.toThrow(
      "authority: expired at 2026-06-02T12:00:00.000Z",
    );
  });

  it.each([
    ["no hosts", [], "hosts: must name at least one"],
    ["a URL", ["https://a"], 'hosts: "https://a" is neither a DNS name nor an IP address'],
    ["a port", ["a:6443"], 'hosts: "a:6443" is neither'],
    ["an address in brackets", ["[::1]"], 'hosts: "[::1]" is neither'],
    ["a star that is not a whole label", ["a*.b"], 'hosts: "a*.b" is neither'],
    ["an empty name", [""], 'hosts: "" is neither'],
  ])("is refused for %s", async (_what, hosts, message) => {
    const authority = await createAuthority({ name: "ca", ...options() });
    await expect(authority.issueServing({ name: "a", hosts })).rejects.toThrow(message);
  });
});

describe("a client certificate", () => {
  it("names the user and the groups, and is for clients only", async () => {
    const authority = await createAuthority({ name: "ca", ...options() });
    const user = 'system:node:a, O=system:masters + "#00"';
    const issued = await authority.issueClient({ user, groups: ["system:nodes", "ü"] });
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.toLegacyObject().subject).toEqual({ CN: user, O: ["system:nodes", "ü"] });
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  });

  it.each([
    ["an empty user", { user: "" }, "user: must not be empty"],
    ["an empty group", { user: "a", groups: [""] }, "groups: must not be empty"],
  ])("is refused for %s", async (_what, request, message) => {
    const authority = await createAuthority({ name: "ca", ...options() });
    await expect(authority.issueClient(request)).rejects.toThrow(message);
  });
});

describe("a stored authority", () => {
  it("goes on to sign", async () => {
    const { certificate, key } = await createAuthority({ name: "ca", ...options() });
    const loaded = await loadAuthority({ certificate, key }, options());
    const issued = new X509Certificate((await loaded.issueClient({ user: "a" })).certificate);
    expect(issued.verify(new X509Certificate(certificate).publicKey)).toBe(true);
    expect(issued.checkIssued(new X509Certificate(certificate))).toBe(true);
  });

  it.each(["rsa", "p384"] as const)("may have a key of another make: %s", async (type) => {
    const stored = await foreignAuthority(type);
    const loaded = await loadAuthority(stored, options());
    const issued = new X509Certificate((await loaded.issueClient({ user: "a" })).certificate);
    const own = new X509Certificate(stored.certificate);
    expect(issued.verify(own.publicKey)).toBe(true);
    expect(issued.checkIssued(own), "its key identifier is the one that the authority carries").toBe(true);
  });

  it("is refused when it is no authority", async () => {
    const authority = await createAuthority({ name: "ca", ...options() });
    const leaf = await authority.issueClient({ user: "a" });
    await expect(loadAuthority(leaf, options())).rejects.toThrow("certificate: CN=a is no authority");
  });

  it.each([
    [
      "another's key",
      () => foreignAuthority("rsa").then(({ key }) => key),
      "key: does not belong to the certificate",
    ],
    ["no key", () => "-----BEGIN NONSENSE-----", "key: is not a private key in PEM"],
  ])("is refused with %s", async (_what, key, message) => {
    const { certificate } = await createAuthority({ name: "ca", ...options() });
    const loading = loadAuthority({ certificate, key: await key() }, options());
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toBeInstanceOf(PkiError);
  });

  it("is refused without a certificate", async () => {
    const key = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await expect(loadAuthority({ certificate: key, key }, options())).rejects.toThrow(
      "certificate: is not a certificate in PEM",
    );
  });
});
