import { BlockList, isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";

/** Where a request goes, as NO_PROXY rules see it: no brackets around IPv6, the port always given. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: string;
}

/** Tells whether a host is to be reached without a proxy, by the rules of Go's httpproxy. */
export function isDirect(target: ProxyTarget, noProxy: string): boolean {
  const isAddress = isIP(target.host) !== 0;
  if (target.host === "localhost" || (isAddress && inNetwork(target.host, loopback))) return true;
  return noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule === "*" || (isAddress ? matchesAddress(target, rule) : matchesDomain(target, rule)));
}

const loopback = networks([
  ["127.0.0.0", 8],
  ["::1", 128],
]);

function matchesAddress(target: ProxyTarget, rule: string): boolean {
  const network = /^([^/]+)\/(\d{1,3})$/.exec(rule);
  if (network !== null) {
    const [, address = "", bits = ""] = network;
    if (!isNetwork(address, Number(bits)) || isIPv4Like(address) !== isIPv4Like(target.host)) return false;
    return inNetwork(target.host, networks([[address, Number(bits)]]));
  }
  const { host, port } = splitPort(rule);
  if (isIP(host) === 0 || !portFits(port, target)) return false;
  return inNetwork(target.host, networks([[host, isIPv6(host) ? 128 : 32]]));
}

/** Also for IPv4 written as IPv6, which a block list takes for both: `::/0` must not mean 10.0.0.1. */
function isIPv4Like(address: string): boolean {
  return inNetwork(address, mapped);
}

const mapped = networks([["::ffff:0:0", 96]]);

function isNetwork(address: string, bits: number): boolean {
  const version = isIP(address);
  return version !== 0 && bits <= (version === 6 ? 128 : 32);
}

function networks(list: readonly (readonly [address: string, bits: number])[]): BlockList {
  const found = new BlockList();
  for (const [address, bits] of list) found.addSubnet(address, bits, isIPv6(address) ? "ipv6" : "ipv4");
  return found;
}

function inNetwork(address: string, list: BlockList): boolean {
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** `example.com` means the domain and all below it, `.example.com` and `*.example.com` only what is below it. */
function matchesDomain(target: ProxyTarget, rule: string): boolean {
  const { host, port } = splitPort(rule);
  const [, isBelow, name = ""] = /^(\*?\.)?(.*)$/.exec(host) ?? [];
  const domain = /[^ -~]/.test(name) ? domainToASCII(name) : name;
  if (domain === "" || !portFits(port, target)) return false;
  return target.host.endsWith(`.${domain}`) || (isBelow === undefined && target.host === domain);
}

function splitPort(rule: string): ProxyTarget {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(rule);
  if (match === null) return { host: rule, port: "" };
  return { host: match[1] ?? match[2] ?? "", port: match[3] ?? "" };
}

function portFits(port: string, target: ProxyTarget): boolean {
  return port === "" || port === target.port;
}
