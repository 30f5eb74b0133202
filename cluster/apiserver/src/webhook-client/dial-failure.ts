import { DeadlineError, hasCode, messageOf } from "@kedge/machinery";

/** Why a call came to nothing, as Go says it where it has words of its own. */
export function dialFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason instanceof DeadlineError ? "context deadline exceeded" : "context canceled";
  if (hasCode(error, "ECONNREFUSED")) return `dial tcp ${addressOf(error)}: connect: connection refused`;
  if (hasCode(error, "ENOTFOUND")) return `dial tcp: lookup ${fieldOf(error, "hostname")}: no such host`;
  if (hasCode(error, "ECONNRESET") || hasCode(error, "EPIPE")) return "EOF";
  const alert = /SSL alert number (?<number>\d+)/u.exec(messageOf(error))?.groups?.["number"];
  if (alert !== undefined) return `remote error: tls: ${alerts[alert] ?? `alert(${alert})`}`;
  if (hasCode(error, "EPROTO") || hasCode(error, "ERR_SSL_WRONG_VERSION_NUMBER"))
    return "http: server gave HTTP response to HTTPS client";
  const certificate = certificateFault(error);
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate}`;
  return messageOf(error);
}

/** What a server says before it hangs up, in Go's words. */
const alerts: Readonly<Record<string, string>> = {
  10: "unexpected message",
  20: "bad record MAC",
  40: "handshake failure",
  42: "bad certificate",
  43: "unsupported certificate",
  44: "revoked certificate",
  45: "expired certificate",
  46: "unknown certificate",
  47: "illegal parameter",
  48: "unknown certificate authority",
  49: "access denied",
  50: "error decoding message",
  51: "error decrypting message",
  70: "protocol version not supported",
  71: "insufficient security level",
  80: "internal error",
  112: "unrecognized name",
  116: "certificate required",
  120: "no application protocol",
};

const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
]);

function certificateFault(error: unknown): string | undefined {
  const code = fieldOf(error, "code");
  if (untrusted.has(code)) return "certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "certificate has expired or is not yet valid";
  return code === "ERR_TLS_CERT_ALTNAME_INVALID" ? wrongName(error) : undefined;
}

/** `certificate is valid for a, b, not c`. */
function wrongName(error: unknown): string {
  const host = fieldOf(error, "host");
  const certificate = error instanceof Error && "cert" in error ? error.cert : undefined;
  const alternatives = fieldOf(certificate, "subjectaltname");
  const isAddress = /^[\d.]+$|:/u.test(host);
  if (isAddress && !alternatives.includes("IP Address:"))
    return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  if (alternatives === "") return `certificate is not valid for any names, but wanted to match ${host}`;
  const names = alternatives.split(", ").map((name) => name.replace(/^(?:DNS|IP Address):/u, ""));
  return `certificate is valid for ${names.join(", ")}, not ${host}`;
}

function addressOf(error: unknown): string {
  const [address, port] = [fieldOf(error, "address"), fieldOf(error, "port")];
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What Node adds to an error, as text. */
function fieldOf(error: unknown, name: string): string {
  if (typeof error !== "object" || error === null) return "";
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
