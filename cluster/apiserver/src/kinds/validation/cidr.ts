import { isIPv6 } from "node:net";
import { fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";

/** A range of addresses. */
export interface Cidr {
  readonly isIpv6: boolean;
  /** The first address as a number: without the bits beyond the prefix. */
  readonly first: bigint;
  /** The address as it was written, as a number. */
  readonly address: bigint;
  /** Length of the prefix. */
  readonly bits: number;
  /** Whether a number in it was written with a zero in front. */
  readonly hasLeadingZero: boolean;
}

/** What is wrong with a range of addresses: `10.9.8.0/24`. */
export function validateCidr(range: string, path: FieldPath): FieldError[] {
  const fault = faultOf(parseCidr(range));
  return fault === undefined ? [] : [fieldInvalid(path, range, fault)];
}

/** What is to be said about a range that is right, but not in its shortest form. */
export function warningsForCidr(range: string, path: FieldPath): readonly string[] {
  const cidr = parseCidr(range);
  if (cidr === undefined || faultOf(cidr) !== undefined || !cidr.isIpv6) return [];
  const short = `${new URL(`http://[${range.split("/")[0] ?? ""}]/`).hostname.slice(1, -1)}/${cidr.bits}`;
  if (short === range) return [];
  return [
    `${path.toString()}: IPv6 CIDR value ${JSON.stringify(range)} should be in RFC 5952 canonical format (${JSON.stringify(short)})`,
  ];
}

/** Whether the first address of another range is in this one. */
export function containsCidr(range: Cidr, other: Cidr): boolean {
  if (range.isIpv6 !== other.isIpv6) return false;
  const shift = BigInt((range.isIpv6 ? 128 : 32) - range.bits);
  return range.first >> shift === other.first >> shift;
}

/** Reads a range as Kubernetes did in its first years: zeros in front and bits beyond the prefix are let pass. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const [written, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const isIpv6 = written.includes(":");
  const size = isIpv6 ? 128 : 32;
  const address = isIpv6 ? ipv6Number(written) : ipv4Number(written);
  const bits = /^\d{1,8}$/u.test(length) ? Number(length) : Number.NaN;
  if (address === undefined || !(bits <= size)) return undefined;
  const shift = BigInt(size - bits);
  const leadingZero = /(?:^|\.)0\d/u;
  return {
    isIpv6,
    first: (address >> shift) << shift,
    address,
    bits,
    hasLeadingZero: leadingZero.test(length) || (!isIpv6 && leadingZero.test(written)),
  };
}

function faultOf(cidr: Cidr | undefined): string | undefined {
  if (cidr === undefined) return "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
  if (cidr.hasLeadingZero) return "must not have leading 0s in IP or prefix length";
  if (cidr.isIpv6 && cidr.address >> 32n === 0xffffn) return "must not have an IPv4-mapped IPv6 address";
  if (cidr.first !== cidr.address) return "must not have bits set beyond the prefix length";
  return undefined;
}

function ipv4Number(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,8}$/u.test(part) && Number(part) <= 255))
    return undefined;
  return BigInt(parts.reduce((sum, part) => sum * 256 + Number(part), 0));
}

function ipv6Number(text: string): bigint | undefined {
  // One with a zone is no range.
  if (!isIPv6(text) || text.includes("%")) return undefined;
  // The form that URLs have: lower case, without an IPv4 address at its end.
  const [front = "", back] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const [head, tail] = [groupsOf(front), groupsOf(back ?? "")];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

function groupsOf(part: string): readonly string[] {
  return part === "" ? [] : part.split(":");
}
