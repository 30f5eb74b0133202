import { X509Certificate } from "node:crypto";
import type { Clock } from "@kedge/machinery";
import { PkiError } from "./pki-error.ts";

/** From when to when a certificate is good, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** How far a new certificate is dated back: the clocks of a cluster differ. */
const backdating = 300_000;

/** From a little before now, for so long; never longer than the authority. */
export function validityFrom(clock: Clock, lifetime: number, authority?: Validity): Validity {
  if (!(lifetime >= 1000 && Number.isFinite(lifetime))) {
    throw new PkiError(`lifetime: ${lifetime} must be a number of milliseconds, at least 1000`);
  }
  const notBefore = wholeSeconds(clock.now()) - backdating;
  const notAfter = wholeSeconds(clock.now() + lifetime);
  if (authority === undefined) return { notBefore, notAfter };
  if (authority.notAfter <= clock.now()) {
    const expired = new Date(authority.notAfter).toISOString();
    throw new PkiError(`authority: expired at ${expired}, so nobody would trust it; create a new one`);
  }
  return {
    notBefore: Math.max(notBefore, authority.notBefore),
    notAfter: Math.min(notAfter, authority.notAfter),
  };
}

/** Reads it from a certificate in PEM. */
export function validityOf(certificate: string): Validity {
  const { validFromDate, validToDate } = parseCertificate(certificate);
  return { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
}

/** Reads the first certificate of a PEM text. */
export function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new PkiError("certificate: is not a certificate in PEM", { cause });
  }
}

/** Certificates count in seconds. */
function wholeSeconds(time: number): number {
  return Math.floor(time / 1000) * 1000;
}
