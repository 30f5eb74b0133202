import { isCidr, isIpv4, isIpv6, isMac } from "./addresses.ts";
import { isCreditCard, isIsbn10, isIsbn13, isSsn } from "./checksums.ts";
import { isHostname, isLongName, isShortName } from "./names.ts";
import { isDate, isDateTime, isDuration } from "./times.ts";
import { isEmail, isRequestUri } from "./uris.ts";

/** Whether a text is of a format; undefined when the server does not check that format. */
export function formatCheckOf(format: string): ((text: string) => boolean) | undefined {
  return textFormats.get(format.replaceAll("-", ""));
}

/** The format if the server heeds it for these types, else nothing. */
export function supportedFormat(types: readonly string[], format: string | undefined): string {
  if (format === undefined || format === "") return "";
  const type = types.length === 1 ? types[0] : "";
  switch (type) {
    case "":
    case "string":
      return textFormats.has(format.replaceAll("-", "")) ? format : "";
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** Names are without dashes: `date-time` and `datetime` are the same. */
const textFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matcher(/^[0-9a-f]{24}$/i)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matcher(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", isSsn],
  ["hexcolor", matcher(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", isRgbColor],
  ["byte", matcher(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", isShortName],
  ["k8slongname", isLongName],
]);

function matcher(expression: RegExp): (text: string) => boolean {
  return (text) => expression.test(text);
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1);
  return parts?.every((part) => String(Number(part)) === part && Number(part) <= 255) === true;
}
