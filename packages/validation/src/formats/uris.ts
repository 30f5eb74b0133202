/** What may stand in the first line of an HTTP request: a path from the root, or a URL with a scheme. */
export function isRequestUri(text: string): boolean {
  if (text === "" || hasControl(text)) return false;
  if (text === "*") return true;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length).split("?", 1)[0] ?? "";
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return hasValidEscapes(rest);
  const authority = /^\/\/([^/]*)/.exec(rest)?.[1] ?? "";
  return isAuthority(authority) && hasValidEscapes(rest.slice(2 + authority.length));
}

/** Whether a text has characters that nobody sees. */
export function hasControl(text: string): boolean {
  return Array.from(text).some((character) => character < " " || character === "\u007f");
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(at, 0));
  if (!/^[-a-zA-Z0-9._:~!$&'()*+,;=%@]*$/.test(user) || !hasValidEscapes(user)) return false;
  const host = text.slice(at + 1);
  const bracket = host.startsWith("[") ? host.lastIndexOf("]") : -1;
  if (host.startsWith("[") && bracket < 0) return false;
  const afterBracket = host.slice(bracket + 1);
  const port = bracket >= 0 ? afterBracket : (/:[^:]*$/.exec(afterBracket)?.[0] ?? "");
  if (!/^(?::\d*)?$/.test(port)) return false;
  return !/[ \\^`{|}#/?]/.test(host) && !/%(?!25|[89a-f][0-9a-f])/i.test(host);
}

/** An address as mail programs have it: `jane@example.com`, `Jane <jane@example.com>`. The domain needs no dot. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim();
  const named = /^(?:[^<>@]*|"(?:[^"\\]|\\.)*"\s*)<([^<>]*)>$/.exec(trimmed);
  const address = (named?.[1] ?? trimmed).replace(/\s*\([^()]*\)$/, "");
  const at = address.lastIndexOf("@");
  if (at <= 0) return false;
  return isLocalPart(address.slice(0, at)) && isDomain(address.slice(at + 1));
}

const atom = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\u{10ffff}]+";
const dottedAtoms = new RegExp(`^${atom}(?:\\.${atom})*$`, "u");

function isLocalPart(text: string): boolean {
  return dottedAtoms.test(text) || /^"(?:[^"\\\n\r]|\\.)*"$/.test(text);
}

function isDomain(text: string): boolean {
  return dottedAtoms.test(text) || /^\[[0-9.]+\]$/.test(text);
}
