import { formatTime, parseJsonExactly } from "@kedge/machinery";
import { ProtobufError, readMessage, type WireValue } from "./wire-reader.ts";
import { bytesOf, integerOf, stringOf } from "./wire-scalars.ts";

/** Decodes the message of a type whose JSON is not that of its fields. `decode` does the types within. */
export type SpecialDecoder = (bytes: Uint8Array, decode: DecodeType) => unknown;

/** Decodes a message of the type of that name. */
export type DecodeType = (type: string, bytes: Uint8Array) => unknown;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const schemaProps = `${apiextensions}.JSONSchemaProps`;

/** Types that marshal themselves to JSON, by their full names. */
export const specialTypes: ReadonlyMap<string, SpecialDecoder> = new Map<string, SpecialDecoder>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", quantity],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", intOrString],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", rawJson],
  [`${meta}.Time`, (bytes) => time(bytes, { microseconds: false })],
  [`${meta}.MicroTime`, (bytes) => time(bytes, { microseconds: true })],
  [`${meta}.FieldsV1`, rawJson],
  [`${apiextensions}.JSON`, rawJson],
  [`${apiextensions}.JSONSchemaPropsOrArray`, schemaOrArray],
  [`${apiextensions}.JSONSchemaPropsOrBool`, schemaOrBool],
  [`${apiextensions}.JSONSchemaPropsOrStringArray`, schemaOrStringArray],
]);

function quantity(bytes: Uint8Array): unknown {
  const text = stringOf(readMessage(bytes).get(1)?.at(-1));
  return text === "" ? "0" : text;
}

function intOrString(bytes: Uint8Array): unknown {
  const fields = readMessage(bytes);
  const last = (number: number): WireValue | undefined => fields.get(number)?.at(-1);
  return integerOf(last(1)) === 0 ? integerOf(last(2)) : stringOf(last(3));
}

/** The zero time is an empty message, and null in JSON. Whole numbers all the way: fractions would be rounded. */
function time(bytes: Uint8Array, { microseconds }: { readonly microseconds: boolean }): unknown {
  const fields = readMessage(bytes);
  if (fields.size === 0) return null;
  const seconds = formatTime(integerOf(fields.get(1)?.at(-1)) * 1000);
  if (!microseconds) return seconds;
  const fraction = Math.floor(integerOf(fields.get(2)?.at(-1)) / 1000);
  return `${seconds.slice(0, -1)}.${String(fraction).padStart(6, "0")}Z`;
}

function rawJson(bytes: Uint8Array): unknown {
  const raw = stringOf(readMessage(bytes).get(1)?.at(-1));
  if (raw === "") return null;
  try {
    return parseJsonExactly(raw);
  } catch (cause) {
    throw new ProtobufError("raw content is not JSON: send it as JSON, as Kubernetes' clients do", { cause });
  }
}

function schemaOrArray(bytes: Uint8Array, decode: DecodeType): unknown {
  const fields = readMessage(bytes);
  const list = fields.get(2);
  if (list !== undefined) return list.map((item) => decode(schemaProps, bytesOf(item)));
  const schema = fields.get(1)?.at(-1);
  return schema === undefined ? null : decode(schemaProps, bytesOf(schema));
}

function schemaOrBool(bytes: Uint8Array, decode: DecodeType): unknown {
  const fields = readMessage(bytes);
  const schema = fields.get(2)?.at(-1);
  return schema === undefined ? integerOf(fields.get(1)?.at(-1)) !== 0 : decode(schemaProps, bytesOf(schema));
}

function schemaOrStringArray(bytes: Uint8Array, decode: DecodeType): unknown {
  const fields = readMessage(bytes);
  const list = fields.get(2);
  if (list !== undefined) return list.map(stringOf);
  const schema = fields.get(1)?.at(-1);
  return schema === undefined ? null : decode(schemaProps, bytesOf(schema));
}
