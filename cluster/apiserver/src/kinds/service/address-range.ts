import { formatIpv4, parseIpv4 } from "@kedge/machinery";

/** A range of IPv4 addresses that services get theirs from. */
export interface AddressRange {
  /** The first address: that of the service `kubernetes`. */
  readonly first: string;
  contains(address: string): boolean;
  /** How many addresses can be given: all but the first and the last of the network. */
  readonly size: number;
  /** The address at a position, from 0 to size - 1. */
  at(position: number): string;
  /**
   * Where addresses that nobody asked for begin: what is below is left to those who ask for a certain one, so that
   * they seldom find it taken.
   */
  readonly dynamicFrom: number;
}

/** Reads `10.96.0.0/12`. Throws when it is not an IPv4 range of at least eight addresses. */
export function parseAddressRange(text: string): AddressRange {
  const [base = "", bits = ""] = text.split("/");
  const start = parseIpv4(base);
  const prefix = /^\d{1,2}$/u.test(bits) ? Number(bits) : Number.NaN;
  if (start === undefined || !(prefix >= 8 && prefix <= 29)) {
    throw new RangeError(
      `service range ${JSON.stringify(text)}: must be an IPv4 range of 8 to 29 bits, for example 10.96.0.0/12`,
    );
  }
  const count = 2 ** (32 - prefix);
  const network = start - (start % count);
  const size = count - 2;
  return {
    first: formatIpv4(network + 1),
    contains: (address) => {
      const value = parseIpv4(address);
      return value !== undefined && value > network && value < network + count - 1;
    },
    size,
    at: (position) => formatIpv4(network + 1 + position),
    dynamicFrom: size <= 16 ? 0 : Math.min(256, Math.max(16, Math.floor(size / 16))),
  };
}
