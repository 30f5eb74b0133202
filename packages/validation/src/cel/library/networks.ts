import { goQuote } from "@kedge/machinery";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { boolType, intType, opaqueType, stringType } from "../values/types.ts";
import { CelError, isError, type Opaque, type Value } from "../values/values.ts";
import { fn, method, texts } from "./declare.ts";
import { addressText, isMapped, parseAddress, type Address } from "./ip-address.ts";

export const ipType = opaqueType("net.IP");
export const cidrType = opaqueType("net.CIDR");

class Ip implements Opaque {
  readonly opaque = ipType;
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }

  equals(other: Value): boolean {
    return (
      other instanceof Ip &&
      other.address.bits === this.address.bits &&
      other.address.value === this.address.value
    );
  }

  /** Bytes, which is what functions of it cost by. */
  get size(): number {
    return this.address.bits / 8;
  }
}

class Cidr implements Opaque {
  readonly opaque = cidrType;
  readonly address: Address;
  readonly length: number;

  constructor(address: Address, length: number) {
    this.address = address;
    this.length = length;
  }

  equals(other: Value): boolean {
    return (
      other instanceof Cidr &&
      other.length === this.length &&
      new Ip(this.address).equals(new Ip(other.address))
    );
  }

  get size(): number {
    return this.length === 0 ? 0 : Math.ceil(this.length / 8);
  }

  contains({ bits, value }: Address): boolean {
    const shift = BigInt(bits - this.length);
    return bits === this.address.bits && value >> shift === this.address.value >> shift;
  }

  masked(): Cidr {
    const shift = BigInt(this.address.bits - this.length);
    return new Cidr({ ...this.address, value: (this.address.value >> shift) << shift }, this.length);
  }
}

/** Kubernetes' libraries of addresses and networks. */
export function networks(): Overload[] {
  const ofIp = (name: string, id: string, holds: (address: Address) => boolean): Overload =>
    method(name, id, [ipType, boolType], (ip = null) =>
      ip instanceof Ip ? holds(ip.address) : noSuchOverload,
    );
  return [
    fn(
      "ip",
      "string_to_ip",
      [stringType, ipType],
      texts((text = "") => ipOf(text)),
    ),
    method("ip", "cidr_ip", [cidrType, ipType], (cidr = null) =>
      cidr instanceof Cidr ? new Ip(cidr.address) : noSuchOverload,
    ),
    fn(
      "ip.isCanonical",
      "ip_is_canonical",
      [stringType, boolType],
      texts((text = "") => {
        const ip = ipOf(text);
        return ip instanceof Ip ? addressText(ip.address) === text : ip;
      }),
    ),
    fn(
      "isIP",
      "is_ip",
      [stringType, boolType],
      texts((text = "") => !isError(ipOf(text))),
    ),
    fn("string", "ip_to_string", [ipType, stringType], (ip = null) =>
      ip instanceof Ip ? addressText(ip.address) : noSuchOverload,
    ),
    method("family", "ip_family", [ipType, intType], (ip = null) =>
      ip instanceof Ip ? (ip.address.bits === 32 ? 4n : 6n) : noSuchOverload,
    ),
    ofIp("isUnspecified", "ip_is_unspecified", ({ value }) => value === 0n),
    ofIp("isLoopback", "ip_is_loopback", isLoopback),
    ofIp("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    ofIp("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    ofIp("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    fn(
      "cidr",
      "string_to_cidr",
      [stringType, cidrType],
      texts((text = "") => cidrOf(text)),
    ),
    fn(
      "isCIDR",
      "is_cidr",
      [stringType, boolType],
      texts((text = "") => !isError(cidrOf(text))),
    ),
    fn("string", "cidr_to_string", [cidrType, stringType], (cidr = null) =>
      cidr instanceof Cidr ? `${addressText(cidr.address)}/${cidr.length}` : noSuchOverload,
    ),
    method(
      "containsIP",
      "cidr_contains_ip_string",
      [cidrType, stringType, boolType],
      (cidr = null, text = null) => containsIp(cidr, typeof text === "string" ? ipOf(text) : noSuchOverload),
    ),
    method("containsIP", "cidr_contains_ip_ip", [cidrType, ipType, boolType], (cidr = null, ip = null) =>
      containsIp(cidr, ip),
    ),
    method(
      "containsCIDR",
      "cidr_contains_cidr_string",
      [cidrType, stringType, boolType],
      (cidr = null, text = null) =>
        containsCidr(cidr, typeof text === "string" ? cidrOf(text) : noSuchOverload),
    ),
    method(
      "containsCIDR",
      "cidr_contains_cidr",
      [cidrType, cidrType, boolType],
      (cidr = null, other = null) => containsCidr(cidr, other),
    ),
    method("prefixLength", "cidr_prefix_length", [cidrType, intType], (cidr = null) =>
      cidr instanceof Cidr ? BigInt(cidr.length) : noSuchOverload,
    ),
    method("masked", "cidr_masked", [cidrType, cidrType], (cidr = null) =>
      cidr instanceof Cidr ? cidr.masked() : noSuchOverload,
    ),
  ];
}

/** Bytes of an address or network; undefined of other values. */
export function networkSize(value: Value): number | undefined {
  return value instanceof Ip || value instanceof Cidr ? value.size : undefined;
}

function ipOf(text: string): Ip | CelError {
  const address = parseAddress(text);
  if ("why" in address) {
    return new CelError(
      `IP Address ${goQuote(text)} parse error during conversion from string: ${address.why}`,
    );
  }
  if (address.zone !== "") return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new Ip(address);
}

function cidrOf(text: string): Cidr | CelError {
  const doing = "network address parse error during conversion from string: ";
  const wrong = (why: string): CelError =>
    new CelError(`${doing}${doing}netip.ParsePrefix(${goQuote(text)}): ${why}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return wrong("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ("why" in address) return wrong(address.why);
  if (address.zone !== "") return wrong("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/u.test(bits)) return wrong(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > address.bits) return wrong("prefix length out of range");
  if (isMapped(address))
    return new CelError(`${doing}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new Cidr(address, Number(bits));
}

function containsIp(cidr: Value, ip: Value): Value {
  if (isError(ip)) return ip;
  return cidr instanceof Cidr && ip instanceof Ip ? cidr.contains(ip.address) : noSuchOverload;
}

function containsCidr(cidr: Value, other: Value): Value {
  if (isError(other)) return other;
  if (!(cidr instanceof Cidr) || !(other instanceof Cidr)) return noSuchOverload;
  return cidr.length <= other.length && cidr.contains(other.address);
}

function isLoopback({ bits, value }: Address): boolean {
  return bits === 32 ? value >> 24n === 127n : value === 1n;
}

function isMulticast({ bits, value }: Address): boolean {
  return bits === 32 ? value >> 28n === 0xen : value >> 120n === 0xffn;
}

function isLinkLocalMulticast({ bits, value }: Address): boolean {
  return bits === 32 ? value >> 8n === 0xe0_00_00n : ((value >> 112n) & 0xff_0fn) === 0xff_02n;
}

function isLinkLocalUnicast({ bits, value }: Address): boolean {
  return bits === 32 ? value >> 16n === 0xa9_fen : value >> 118n === 0x3_fan;
}

function isGlobalUnicast(address: Address): boolean {
  const broadcast = address.bits === 32 && address.value === 0xff_ff_ff_ffn;
  return (
    address.value !== 0n &&
    !broadcast &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}
