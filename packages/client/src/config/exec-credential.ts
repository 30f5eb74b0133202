import type { Clock } from "@kedge/machinery";
import { bearer } from "./bearer.ts";
import { mappingField, mappingFrom, stringField, type Mapping } from "./mapping.ts";
import { parseYaml } from "./parse-yaml.ts";
import { pairOf, type PemSource } from "./pem.ts";
import { fieldOf, placeError, type Place } from "./place.ts";
import type { ClientCertificate, Identity } from "./types.ts";

/** What an exec plugin may be told about the cluster: the fields of a kubeconfig's cluster, files read. */
export interface ExecCluster {
  readonly server: string;
  readonly ca: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  readonly config: unknown;
}

/** What a plugin answered. */
export interface ExecCredential {
  readonly identity: Identity;
  /** Milliseconds since 1970; undefined when the plugin set no end. */
  readonly expiresAt: number | undefined;
}

/** The value of KUBERNETES_EXEC_INFO. */
export function execInfo(apiVersion: string, interactive: boolean, cluster: ExecCluster | undefined): string {
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion,
    spec: { ...(cluster !== undefined && { cluster: clusterInfo(cluster) }), interactive },
  });
}

/** Checks and reads what a plugin printed. No message shows any of it but its kind and version. */
export function parseExecCredential(stdout: string, apiVersion: string, place: Place): ExecCredential {
  const root = mappingFrom(parseYaml(stdout, place), place);
  expectValue(root, "kind", "ExecCredential");
  expectValue(root, "apiVersion", apiVersion);
  const status = mappingField(root, "status");
  if (status === undefined) throw placeError(fieldOf(place, "status"), "must be set");
  const token = stringField(status, "token");
  const clientCertificate = readCertificate(status);
  if (token === undefined && clientCertificate === undefined) {
    throw placeError(status.place, "must hold a token, or clientCertificateData and clientKeyData");
  }
  return {
    identity: {
      ...(token !== undefined && { authorization: bearer(token, fieldOf(status.place, "token")) }),
      ...(clientCertificate !== undefined && { clientCertificate }),
    },
    expiresAt: readExpiry(status),
  };
}

/**
 * Says until when a credential is handed out without asking the plugin again: a little before its end, so that no
 * request arrives with one that has just expired.
 */
export function renewalTime(credential: ExecCredential, clock: Clock): number {
  if (credential.expiresAt === undefined) return Number.POSITIVE_INFINITY;
  const life = credential.expiresAt - clock.now();
  return credential.expiresAt - Math.min(longestSkewMs, Math.max(0, life) * skewShare);
}

const longestSkewMs = 60_000;
/** Of short-lived credentials, so that they are used at all. */
const skewShare = 0.1;

function clusterInfo(cluster: ExecCluster): object {
  return {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify || undefined,
    "certificate-authority-data": cluster.ca && Buffer.from(cluster.ca).toString("base64"),
    "proxy-url": cluster.proxyUrl,
    "disable-compression": cluster.disableCompression || undefined,
    config: cluster.config,
  };
}

function expectValue(root: Mapping, name: string, expected: string): void {
  const value = stringField(root, name);
  if (value === expected) return;
  const got = value === undefined ? "nothing" : JSON.stringify(value.slice(0, 100));
  throw placeError(fieldOf(root.place, name), `must be "${expected}", got ${got}`);
}

function readCertificate(status: Mapping): ClientCertificate | undefined {
  const certificate = pemSource(status, "clientCertificateData");
  const key = pemSource(status, "clientKeyData");
  if (certificate.pem === undefined && key.pem === undefined) return undefined;
  if (certificate.pem === undefined || key.pem === undefined) {
    throw placeError(status.place, "must hold both clientCertificateData and clientKeyData, or none of them");
  }
  return pairOf(certificate.pem, key.pem, { certificate, key });
}

function pemSource(status: Mapping, name: string): PemSource {
  return { place: fieldOf(status.place, name), pem: stringField(status, name), file: undefined };
}

function readExpiry(status: Mapping): number | undefined {
  const text = stringField(status, "expirationTimestamp");
  if (text === undefined) return undefined;
  const time = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw placeError(
      fieldOf(status.place, "expirationTimestamp"),
      'must be an RFC 3339 time ("2006-01-02T15:04:05Z")',
    );
  }
  return time;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
