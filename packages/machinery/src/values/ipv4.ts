/** The number that an IPv4 address in its usual form stands for; undefined for anything else. */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every(isPart)) return undefined;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

/** Without leading zeros: some take them for octal. */
function isPart(text: string): boolean {
  return /^(?:0|[1-9]\d{0,2})$/u.test(text) && Number(text) < 256;
}

/** The address that a number from 0 to 2^32 - 1 stands for. */
export function formatIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
