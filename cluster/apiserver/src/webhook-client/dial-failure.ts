import { DeadlineError, hasCode, messageOf } from "@kedge/machinery";

/** Why a call came to nothing, as Go says it where it has words of its own. */
export function dialFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason instanceof DeadlineError ? "context deadline exceeded" : "context canceled";
  if (hasCode(error, "ECONNREFUSED")) return `dial tcp ${addressOf(error)}: connect: connection refused`;
  if (hasCode(error, "ENOTFOUND")) return `dial tcp: lookup ${fieldOf(error, "hostname")}: no such host`;
  if (hasCode(error, "ECONNRESET") || hasCode(error, "EPIPE")) return "EOF";
  if (hasCode(error, "EPROTO") || hasCode(error, "ERR_SSL_WRONG_VERSION_NUMBER"))
    return "http: server gave HTTP response to HTTPS client";
  const certificate = certificateFault(error);
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate}`;
  return messageOf(error);
}

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
