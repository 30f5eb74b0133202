import type { Random } from "@kedge/machinery";

/** A serial number in hexadecimal: 127 random bits, positive and never zero, as RFC 5280 wants it. */
export function serialNumber(random: Random): string {
  const first = 1 + random.int(0x7f);
  const rest = Array.from({ length: 15 }, () => random.int(0x100));
  return [first, ...rest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
