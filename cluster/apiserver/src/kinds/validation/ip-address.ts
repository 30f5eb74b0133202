import { BlockList, isIP } from "node:net";
import { fieldInvalid, type FieldError, type FieldPath } from "@kedge/machinery";

/** What is wrong with a text that must be an address. */
export function validateIp(address: string, path: FieldPath): FieldError[] {
  if (isIP(address) !== 0) return [];
  return [fieldInvalid(path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
}

/** Whether an address is of the sixth version. */
export function isIpv6(address: string): boolean {
  return isIP(address) === 6;
}

/** An address that traffic is sent to: no machine's own. */
export function validateEndpointIp(address: string, path: FieldPath): FieldError[] {
  const errors = validateIp(address, path);
  if (errors.length > 0) return errors;
  const fault = reserved.find(([block]) => block.check(address, isIpv6(address) ? "ipv6" : "ipv4"))?.[1];
  return fault === undefined ? [] : [fieldInvalid(path, address, fault)];
}

const reserved = [
  [blockOf("0.0.0.0/32", "::/128"), "may not be unspecified (0.0.0.0 or ::)"],
  [blockOf("127.0.0.0/8", "::1/128"), "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [blockOf("169.254.0.0/16", "fe80::/10"), "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [
    blockOf("224.0.0.0/24", "ff02::/10"),
    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  ],
] as const;

function blockOf(...ranges: readonly string[]): BlockList {
  const block = new BlockList();
  for (const range of ranges) {
    const [address = "", bits = ""] = range.split("/");
    block.addSubnet(address, Number(bits), isIpv6(address) ? "ipv6" : "ipv4");
  }
  return block;
}
