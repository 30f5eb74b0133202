import type { Clock } from "@kedge/machinery";
import { validityOf } from "./validity.ts";

/**
 * Is it time to replace this certificate (PEM)? True when a third of its life or less is left, when it has expired, and
 * when it is not good yet.
 */
export function needsRenewal(certificate: string, clock: Clock): boolean {
  const now = clock.now();
  return now >= renewalTime(certificate) || now < validityOf(certificate).notBefore;
}

/** When a third of its life is left, in milliseconds since 1970: the time to wake up and replace it. */
export function renewalTime(certificate: string): number {
  const { notBefore, notAfter } = validityOf(certificate);
  return notAfter - (notAfter - notBefore) / 3;
}
