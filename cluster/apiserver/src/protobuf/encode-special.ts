import { isJsonList, isJsonObject, parseTime } from "@kedge/machinery";
import type { WireWriter } from "./wire-writer.ts";

/** Writes the message of a type whose JSON is not that of its fields. `schema` writes a JSONSchemaProps. */
export type SpecialEncoder = (writer: WireWriter, value: unknown, schema: EncodeSchema) => void;

/** Writes a schema as a field of this number. */
export type EncodeSchema = (number: number, value: unknown) => void;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** The full name of the type that `EncodeSchema` writes. */
export const schemaProps = `${apiextensions}.JSONSchemaProps`;

/** Types that marshal themselves to JSON, by their full names: the other way round than `specialTypes`. */
export const specialEncoders: ReadonlyMap<string, SpecialEncoder> = new Map<string, SpecialEncoder>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", quantity],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", intOrString],
  ["io.k8s.apimachinery.pkg.runtime.RawExtension", rawJson],
  [`${meta}.Time`, time],
  [`${meta}.MicroTime`, time],
  [`${meta}.FieldsV1`, rawJson],
  [`${apiextensions}.JSON`, rawJson],
  [`${apiextensions}.JSONSchemaPropsOrArray`, schemaOrArray],
  [`${apiextensions}.JSONSchemaPropsOrBool`, schemaOrBool],
  [`${apiextensions}.JSONSchemaPropsOrStringArray`, schemaOrStringArray],
]);

/** A quantity may be a number in JSON, too. */
function quantity(writer: WireWriter, value: unknown): void {
  writer.textField(1, quantityText(value));
}

function quantityText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : "0";
}

function intOrString(writer: WireWriter, value: unknown): void {
  const isText = typeof value === "string";
  writer.textField(3, isText ? value : "");
  writer.integer(typeof value === "number" ? value : 0);
  writer.tag(2, 0);
  writer.varint(isText ? 1 : 0);
  writer.tag(1, 0);
}

/** The zero time is an empty message, and null in JSON. */
function time(writer: WireWriter, value: unknown): void {
  if (typeof value !== "string" || value === "") return;
  const milliseconds = parseTime(value);
  writer.integer(nanosecondsIn(value));
  writer.tag(2, 0);
  writer.integer(Math.floor(milliseconds / 1000));
  writer.tag(1, 0);
}

function nanosecondsIn(text: string): number {
  const fraction = /\.(?<digits>\d{1,9})/u.exec(text)?.groups?.["digits"];
  return fraction === undefined ? 0 : Number(fraction.padEnd(9, "0"));
}

function rawJson(writer: WireWriter, value: unknown): void {
  if (value !== undefined && value !== null) writer.textField(1, JSON.stringify(value));
}

function schemaOrArray(_: WireWriter, value: unknown, schema: EncodeSchema): void {
  if (isJsonList(value)) for (const item of value.toReversed()) schema(2, item);
  else if (isJsonObject(value)) schema(1, value);
}

function schemaOrBool(writer: WireWriter, value: unknown, schema: EncodeSchema): void {
  if (isJsonObject(value)) schema(2, value);
  writer.varint(isJsonObject(value) || value === true ? 1 : 0);
  writer.tag(1, 0);
}

function schemaOrStringArray(writer: WireWriter, value: unknown, schema: EncodeSchema): void {
  if (isJsonList(value)) for (const item of value.toReversed()) writer.textField(2, String(item));
  else if (isJsonObject(value)) schema(1, value);
}
