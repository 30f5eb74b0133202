import { VirtualClock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { execInfo, parseExecCredential, renewalTime } from "./exec-credential.ts";
import { pairs } from "./testing/certificates.ts";
import { failureOf, shown } from "./testing/failure-of.ts";

const v1 = "client.authentication.k8s.io/v1";
const place = { document: "output of login", path: "", code: "EXEC_PLUGIN" } as const;
const read = (status: unknown, apiVersion = v1, kind = "ExecCredential") =>
  parseExecCredential(JSON.stringify({ apiVersion, kind, status }), v1, place);

describe("a plugin's answer", () => {
  test("may be a token, a certificate, or both, with an end or without", () => {
    expect(read({ token: "t0k" })).toEqual({
      identity: { authorization: "Bearer t0k" },
      expiresAt: undefined,
    });
    const certificate = {
      clientCertificateData: pairs.one.certificate,
      clientKeyData: pairs.one.key,
    };
    expect(read({ ...certificate, expirationTimestamp: "2026-01-01T00:00:01Z" })).toEqual({
      identity: { clientCertificate: pairs.one },
      expiresAt: Date.UTC(2026, 0, 1, 0, 0, 1),
    });
    expect(read({ ...certificate, token: "t0k" }).identity).toEqual({
      authorization: "Bearer t0k",
      clientCertificate: pairs.one,
    });
  });

  test("may be YAML", () => {
    const text = `apiVersion: ${v1}\nkind: ExecCredential\nstatus:\n  token: t0k\n  expirationTimestamp: 2026-01-01T01:00:00+01:00\n`;
    expect(parseExecCredential(text, v1, place)).toEqual({
      identity: { authorization: "Bearer t0k" },
      expiresAt: Date.UTC(2026, 0),
    });
  });

  test.each<[message: string, read: () => unknown]>([
    ["must be a mapping, got a string", () => parseExecCredential("login first! s3cr3t", v1, place)],
    ["is not valid YAML", () => parseExecCredential('{"status":{"token":"s3cr3t"', v1, place)],
    ['kind: must be "ExecCredential", got "Secret"', () => read({ token: "s3cr3t" }, v1, "Secret")],
    [`apiVersion: must be "${v1}", got "${v1}beta1"`, () => read({ token: "s3cr3t" }, `${v1}beta1`)],
    ["status: must be set", () => read(undefined)],
    ["status: must hold a token, or clientCertificateData and clientKeyData", () => read({})],
    ["status: must hold both", () => read({ token: "s3cr3t", clientKeyData: pairs.one.key })],
    ["status: must hold both", () => read({ clientCertificateData: pairs.one.certificate })],
    ["status.token: must be a string, got a number", () => read({ token: 5_318_008 })],
    ["status.token: holds a token with spaces", () => read({ token: "s3cr3t s3cr3t" })],
    ["status.token: holds a token with spaces", () => read({ token: "s3cr3t\r\nx: y" })],
    [
      "status.clientCertificateData: this is not a PEM certificate",
      () => read({ clientCertificateData: "s3cr3t", clientKeyData: pairs.one.key }),
    ],
    [
      "status.clientKeyData: this is not a PEM private key, or it needs a passphrase",
      () => read({ clientCertificateData: pairs.one.certificate, clientKeyData: "s3cr3t" }),
    ],
    [
      "status.clientKeyData: is not the key of status.clientCertificateData",
      () => read({ clientCertificateData: pairs.one.certificate, clientKeyData: pairs.two.key }),
    ],
    [
      "status.expirationTimestamp: must be an RFC 3339 time",
      () => read({ token: "s3cr3t", expirationTimestamp: "tomorrow" }),
    ],
    [
      "status.expirationTimestamp: must be an RFC 3339 time",
      () => read({ token: "s3cr3t", expirationTimestamp: "2026-13-01T00:00:00Z" }),
    ],
  ])("is refused: %s", async (message, parse) => {
    const error = await failureOf(parse);
    expect(error.code).toBe("EXEC_PLUGIN");
    expect(error.message).toContain(`output of login: ${message}`);
    for (const secret of ["s3cr3t", "5318008", "MIGHAgEA"]) expect(shown(error)).not.toContain(secret);
  });
});

describe("a credential is renewed", () => {
  test.each([
    ["a minute before a distant end", 3_600_000, 3_540_000],
    ["after nine tenths of a short life", 100_000, 90_000],
    ["at once when it has expired already", -5000, -5000],
  ])("%s", (_what, life, renewedAfter) => {
    const clock = new VirtualClock();
    const credential = { identity: {}, expiresAt: clock.now() + life };
    expect(renewalTime(credential, clock) - clock.now()).toBe(renewedAfter);
  });

  test("never when it has no end", () => {
    expect(renewalTime({ identity: {}, expiresAt: undefined }, new VirtualClock())).toBe(Infinity);
  });
});

describe("KUBERNETES_EXEC_INFO", () => {
  const cluster = {
    server: "https://k8s:6443",
    ca: "PEM",
    tlsServerName: "kubernetes",
    insecureSkipTlsVerify: false,
    proxyUrl: "http://proxy:1",
    disableCompression: true,
    config: { audience: "x" },
  };

  test("tells of the cluster what a kubeconfig would", () => {
    expect(JSON.parse(execInfo(v1, true, cluster))).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: {
        interactive: true,
        cluster: {
          server: "https://k8s:6443",
          "certificate-authority-data": Buffer.from("PEM").toString("base64"),
          "tls-server-name": "kubernetes",
          "proxy-url": "http://proxy:1",
          "disable-compression": true,
          config: { audience: "x" },
        },
      },
    });
  });

  test("leaves out what is not set, and the cluster when it was not asked for", () => {
    const bare = {
      ...cluster,
      ca: undefined,
      tlsServerName: undefined,
      insecureSkipTlsVerify: true,
      proxyUrl: undefined,
      disableCompression: false,
      config: undefined,
    };
    expect(JSON.parse(execInfo(v1, false, bare))).toHaveProperty("spec.cluster", {
      server: "https://k8s:6443",
      "insecure-skip-tls-verify": true,
    });
    expect(JSON.parse(execInfo(v1, false, undefined))).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: { interactive: false },
    });
  });
});
