import { goQuote } from "@kedge/machinery";

/** An address of 32 or 128 bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
  /** `fe80::1%eth0`: what comes after the percent sign. */
  readonly zone: string;
}

/** Reads an address as Go's netip does, or tells why it is none. */
export function parseAddress(text: string): Address | { readonly why: string } {
  const wrong = (message: string, at = ""): { readonly why: string } => ({
    why: `ParseAddr(${goQuote(text)}): ${message}${at === "" ? "" : ` (at ${goQuote(at)})`}`,
  });
  const mark = /[.:%]/u.exec(text)?.[0];
  if (mark === undefined) return wrong("unable to parse IP");
  if (mark === "%") return wrong("missing IPv6 address");
  if (mark === ".") {
    const value = parseDotted(text);
    return typeof value === "bigint" ? { bits: 32, value, zone: "" } : wrong(value.message, value.at);
  }
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return wrong("zone must be a non-empty string");
  const value = parseColoned(percent < 0 ? text : text.slice(0, percent));
  return typeof value === "bigint" ? { bits: 128, value, zone } : wrong(value.message, value.at);
}

interface Wrong {
  readonly message: string;
  readonly at?: string;
}

function parseDotted(text: string): bigint | Wrong {
  let value = 0n;
  let fields = 0;
  let number = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (/\d/u.test(character)) {
      if (digits === 1 && number === 0) return { message: "IPv4 field has octet with leading zero" };
      number = number * 10 + Number(character);
      digits += 1;
      if (number > 255) return { message: "IPv4 field has value >255" };
    } else if (character === ".") {
      if (index === 0 || index === text.length - 1 || text.charAt(index - 1) === ".") {
        return { message: "IPv4 field must have at least one digit", at: text.slice(index) };
      }
      if (fields === 3) return { message: "IPv4 address too long" };
      value = value * 256n + BigInt(number);
      fields += 1;
      number = 0;
      digits = 0;
    } else return { message: "unexpected character", at: text.slice(index) };
  }
  if (fields < 3) return { message: "IPv4 address too short" };
  return value * 256n + BigInt(number);
}

function parseColoned(text: string): bigint | Wrong {
  const groups: bigint[] = [];
  let gap = -1;
  let rest = text;
  if (rest.startsWith("::")) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === "") return 0n;
  }
  while (groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/u.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return { message: "each group must have 4 or less digits", at: rest };
    if (digits === "")
      return { message: "each colon-separated field must have at least one digit", at: rest };
    if (rest.charAt(digits.length) === ".") {
      if (gap < 0 && groups.length !== 6) {
        return { message: "embedded IPv4 address must replace the final 2 fields of the address", at: rest };
      }
      if (groups.length > 6) {
        return { message: "too many hex fields to fit an embedded IPv4 at the end of the address", at: rest };
      }
      const dotted = parseDotted(rest);
      if (typeof dotted !== "bigint") return dotted;
      groups.push(dotted >> 16n, dotted & 0xff_ffn);
      rest = "";
      break;
    }
    groups.push(BigInt(`0x${digits}`));
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return { message: "unexpected character, want colon", at: rest };
    if (rest.length === 1) return { message: "colon must be followed by more characters", at: rest };
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (gap >= 0) return { message: "multiple :: in address", at: rest };
      gap = groups.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") return { message: "trailing garbage after address", at: rest };
  if (groups.length < 8) {
    if (gap < 0) return { message: "address string too short" };
    groups.splice(gap, 0, ...Array.from({ length: 8 - groups.length }, () => 0n));
  } else if (gap >= 0) return { message: "the :: must expand to at least one field of zeros" };
  return groups.reduce((value, group) => value * 65_536n + group, 0n);
}

/** The one way an address is written. */
export function addressText({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xff_ffn).toString(16),
  );
  const gap = longestZeros(groups);
  if (gap.length < 2) return groups.join(":");
  return `${groups.slice(0, gap.start).join(":")}::${groups.slice(gap.start + gap.length).join(":")}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === "0") length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** `::ffff:1.2.3.4`. */
export function isMapped({ bits, value }: Address): boolean {
  return bits === 128 && value >> 32n === 0xff_ffn;
}
