import { formatIpv4, parseIpv4 } from "@kedge/machinery";

/** A range of IPv4 addresses. */
export interface AddressRange {
  /** The first address as a number. */
  readonly first: number;
  /** How many there are. */
  readonly size: number;
  /** Bits of the network part. */
  readonly prefix: number;
}

/** Reads `10.244.0.0/16`. */
export function parseRange(text: string): AddressRange {
  const [address = "", bits = ""] = text.split("/");
  const number = parseIpv4(address);
  const prefix = /^\d{1,2}$/u.test(bits) ? Number(bits) : Number.NaN;
  if (number === undefined || !(prefix >= 8 && prefix <= 30)) {
    throw new RangeError(
      `address range ${JSON.stringify(text)}: must be an IPv4 address and 8 to 30 bits, such as 10.244.0.0/16`,
    );
  }
  const size = 2 ** (32 - prefix);
  if (number % size !== 0) {
    throw new RangeError(
      `address range ${JSON.stringify(text)}: must begin at a multiple of its size, such as ${formatIpv4(number - (number % size))}/${prefix}`,
    );
  }
  return { first: number, size, prefix };
}

/** The address at a place of a range; throws outside of it. */
export function addressAt(range: AddressRange, place: number): string {
  if (!Number.isInteger(place) || place < 0 || place >= range.size) {
    throw new RangeError(`place ${place}: the range has ${range.size} addresses`);
  }
  return formatIpv4(range.first + place);
}

/** Whether an address is in a range. */
export function inRange(range: AddressRange, address: string): boolean {
  const number = parseIpv4(address);
  return number !== undefined && number >= range.first && number < range.first + range.size;
}

/** Whether two ranges have an address in common. */
export function overlap(one: AddressRange, other: AddressRange): boolean {
  return one.first < other.first + other.size && other.first < one.first + one.size;
}
