import type { Clock } from "@kedge/machinery";
import { parseCertificate, validityOf } from "./validity.ts";

/**
 * What to trust while one authority takes over from another: all certificates of the given PEM texts, each once, in
 * order, without those that have expired. Give it to verifiers before the new authority signs, and until the last
 * certificate of the old one is gone.
 */
export function bundleOf(authorities: readonly string[], clock: Clock): string {
  const certificates = authorities.flatMap(certificatesIn).map((pem) => parseCertificate(pem).toString());
  const good = certificates.filter((pem) => validityOf(pem).notAfter > clock.now());
  return [...new Set(good)].join("");
}

/** The certificates of a PEM text, one by one. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/gu) ?? [];
}
