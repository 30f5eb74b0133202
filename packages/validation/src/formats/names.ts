/** A host name: labels of letters, digits, dashes and symbols, the last one of letters when there are several. */
export function isHostname(text: string): boolean {
  const bytes = utf8.encode(text).length;
  if (bytes > 255 || !hostname.test(text)) return false;
  return text.split(".").every((label) => utf8.encode(label).length <= 63);
}

const utf8 = new TextEncoder();
const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

/** Lower case letters, digits and inner dashes: at most 63. */
export function isShortName(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** Short names of any length with dots between them: at most 253. */
export function isLongName(text: string): boolean {
  return (
    text.length <= 253 && text.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part))
  );
}
