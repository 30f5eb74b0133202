import {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
  goQuote,
} from "@kedge/machinery";
import { formatCheckOf } from "../../formats/formats.ts";
import { isRequestUri } from "../../formats/uris.ts";
import type { Overload } from "../values/environment.ts";
import { noSuchOverload } from "../values/equality.ts";
import { listOf, optionalOf, stringType, structType } from "../values/types.ts";
import { Optional, PlainList, type Opaque, type Value } from "../values/values.ts";
import { fn, method, texts } from "./declare.ts";
import { whyNot } from "./urls.ts";

export const formatType = structType("kubernetes.NamedFormat");

type Check = (text: string) => readonly string[];

class Format implements Opaque {
  readonly opaque = formatType;
  readonly name: string;
  readonly check: Check;
  /** Length of the regular expression that it costs like. */
  readonly regexSize: number;

  constructor(name: string, regexSize: number, check: Check) {
    this.name = name;
    this.regexSize = regexSize;
    this.check = check;
  }

  equals(other: Value): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** Kubernetes' library of formats: `format.dns1123Label().validate(self.name)`. */
export function namedFormats(): Overload[] {
  return [
    ...Array.from(formats, ([name, format]) =>
      fn(`format.${name}`, `format.${name}`, [formatType], () => format),
    ),
    fn(
      "format.named",
      "format-named",
      [stringType, optionalOf(formatType)],
      texts((name = "") => {
        const format = formats.get(name);
        return format === undefined ? Optional.none : new Optional(format);
      }),
    ),
    method(
      "validate",
      "format-validate",
      [formatType, stringType, optionalOf(listOf(stringType))],
      (format = null, text = null) => {
        if (!(format instanceof Format) || typeof text !== "string") return noSuchOverload;
        const complaints = format.check(text);
        return complaints.length === 0 ? Optional.none : new Optional(new PlainList(complaints));
      },
    ),
  ];
}

/** What a check by this value costs like; undefined of other values. */
export function regexSizeOf(value: Value): number | undefined {
  return value instanceof Format ? value.regexSize : undefined;
}

/** A prefix may end in a dash, as what is generated comes after it. */
function prefix(check: Check): Check {
  return (text) => check(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

function known(name: string, complaint: string): Check {
  const holds = formatCheckOf(name);
  return (text) => (holds?.(text) === false ? [complaint] : []);
}

const formats: ReadonlyMap<string, Format> = new Map([
  ["dns1123Label", new Format("DNS1123Label", 30, validateDns1123Label)],
  ["dns1123Subdomain", new Format("DNS1123Subdomain", 60, validateDns1123Subdomain)],
  ["dns1035Label", new Format("DNS1035Label", 30, validateDns1035Label)],
  ["qualifiedName", new Format("QualifiedName", 60, validateQualifiedName)],
  ["dns1123LabelPrefix", new Format("DNS1123LabelPrefix", 30, prefix(validateDns1123Label))],
  ["dns1123SubdomainPrefix", new Format("DNS1123SubdomainPrefix", 60, prefix(validateDns1123Subdomain))],
  ["dns1035LabelPrefix", new Format("DNS1035LabelPrefix", 30, prefix(validateDns1035Label))],
  ["labelValue", new Format("LabelValue", 40, validateLabelValue)],
  [
    "uri",
    new Format("URI", 1103, (text) =>
      isRequestUri(text) ? [] : [`parse ${goQuote(text)}: ${whyNot(text)}`],
    ),
  ],
  ["uuid", new Format("uuid", 67, known("uuid", "does not match the UUID format"))],
  ["byte", new Format("byte", 84, known("byte", "invalid base64"))],
  ["date", new Format("date", 157, known("date", "invalid date"))],
  ["datetime", new Format("datetime", 157, known("datetime", "invalid datetime"))],
]);
