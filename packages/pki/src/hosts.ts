import { isIP } from "node:net";
import { PkiError } from "./pki-error.ts";

/** A name in a certificate, by its type. */
export type Host = { readonly type: "dns" | "ip"; readonly value: string };

const label = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
const dnsName = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`, "iu");

/** Tells DNS names and IP addresses apart, and refuses what is neither. */
export function parseHosts(hosts: readonly string[]): readonly Host[] {
  if (hosts.length === 0) {
    throw new PkiError("hosts: must name at least one DNS name or IP address, or no client will accept it");
  }
  return [...new Set(hosts)].map(parseHost);
}

function parseHost(value: string): Host {
  if (isIP(value) !== 0) return { type: "ip", value };
  if (dnsName.test(value) && value.length <= 253) return { type: "dns", value };
  throw new PkiError(
    `hosts: ${JSON.stringify(value)} is neither a DNS name nor an IP address; give it without scheme, port or brackets`,
  );
}
