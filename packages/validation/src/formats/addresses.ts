/** An address with dots: IPv4, or IPv6 that ends in one. Leading zeros are tolerated, as on the server. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && (isDotted(text, true) || isColoned(text, true));
}

/** An address with colons. */
export function isIpv6(text: string): boolean {
  return isColoned(text, false);
}

/** An address and the length of its prefix: `10.0.0.0/8`. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!/^\d{1,8}$/.test(length)) return false;
  if (isDotted(address, true)) return Number(length) <= 32;
  return isColoned(address, true) && Number(length) <= 128;
}

/** A hardware address of 6, 8 or 20 bytes, with colons, dashes, or dots after every second byte. */
export function isMac(text: string): boolean {
  const byBytes = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2})*)$/i;
  const byPairs = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i;
  if (!byBytes.test(text) && !byPairs.test(text)) return false;
  return [6, 8, 20].includes(text.replaceAll(/[^0-9a-f]/gi, "").length / 2);
}

function isDotted(text: string, zeros: boolean): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => isByte(part, zeros));
}

function isByte(text: string, zeros: boolean): boolean {
  return /^\d+$/.test(text) && Number(text) <= 255 && (zeros || text === "0" || !text.startsWith("0"));
}

/** Groups of hex digits with at most one gap, the last two groups perhaps as dotted numbers. */
function isColoned(text: string, zeros: boolean): boolean {
  const halves = text.split("::");
  if (halves.length > 2 || !text.includes(":")) return false;
  const counts = halves.map((half, index) => countGroups(half, index === halves.length - 1, zeros));
  if (counts.some((count) => count === undefined)) return false;
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return halves.length === 2 ? total <= 7 : total === 8;
}

function countGroups(text: string, last: boolean, zeros: boolean): number | undefined {
  if (text === "") return 0;
  const groups = text.split(":");
  const final = groups.at(-1) ?? "";
  const dotted = last && final.includes(".");
  if (dotted && !isDotted(final, zeros)) return undefined;
  const plain = dotted ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return plain.length + (dotted ? 2 : 0);
}
