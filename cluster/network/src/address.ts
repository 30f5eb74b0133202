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
  const number = parseAddress(address);
  const prefix = /^\d{1,2}$/u.test(bits) ? Number(bits) : Number.NaN;
  if (number === undefined || !(prefix >= 8 && prefix <= 30)) {
    throw new RangeError(
      `address range ${JSON.stringify(text)}: must be an IPv4 address and 8 to 30 bits, such as 10.244.0.0/16`,
    );
  }
  const size = 2 ** (32 - prefix);
  if (number % size !== 0) {
    throw new RangeError(
      `address range ${JSON.stringify(text)}: must begin at a multiple of its size, such as ${printAddress(number - (number % size))}/${prefix}`,
    );
  }
  return { first: number, size, prefix };
}

/** The address at a place of a range; throws outside of it. */
export function addressAt(range: AddressRange, place: number): string {
  if (!Number.isInteger(place) || place < 0 || place >= range.size) {
    throw new RangeError(`place ${place}: the range has ${range.size} addresses`);
  }
  return printAddress(range.first + place);
}

/** Whether an address is in a range. */
export function inRange(range: AddressRange, address: string): boolean {
  const number = parseAddress(address);
  return number !== undefined && number >= range.first && number < range.first + range.size;
}

/** Whether two ranges have an address in common. */
export function overlap(one: AddressRange, other: AddressRange): boolean {
  return one.first < other.first + other.size && other.first < one.first + one.size;
}

/** The number of a dotted IPv4 address; undefined for anything else. */
export function parseAddress(text: string): number | undefined {
  const parts = text.split(".");
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/u.test(part) && Number(part) < 256)
  ) {
    return undefined;
  }
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

function printAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
