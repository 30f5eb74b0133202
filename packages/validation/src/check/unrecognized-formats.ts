import { supportedFormat } from "../formats/formats.ts";
import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";

/** Formats that the server does not check, in the order of the schema: creating such a CRD gets a warning for each. */
export function unrecognizedFormats(schema: JsonSchema): string[] {
  const { format = "", type = "" } = schema;
  const own = format !== "" && supportedFormat([type], format) === "" ? [format] : [];
  const parts = [
    itemsOf(schema),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.not,
    ...propertiesOf(schema).map(([, part]) => part),
    additionalOf(schema),
  ];
  return [...own, ...parts.flatMap((part) => (part === undefined ? [] : unrecognizedFormats(part)))];
}
