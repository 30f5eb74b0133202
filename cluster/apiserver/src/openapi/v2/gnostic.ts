import { isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import { WireWriter } from "../../protobuf/index.ts";
import type { JsonSchema } from "../json-schema.ts";

// The messages of gnostic's OpenAPIv2.proto, as far as our documents need them. Like all that is written from its end,
// fields come in the order of their numbers, the highest first.

/** A definition as an entry of the document's definitions. */
export function definitionEntry(name: string, schema: JsonSchema): Uint8Array {
  return entryOf(1, name, (writer) => writeSchema(writer, schema));
}

/** A path as an entry of the document's paths. */
export function pathEntry(name: string, path: JsonSchema): Uint8Array {
  return entryOf(2, name, (writer) => writePath(writer, path));
}

/** The document around paths and definitions of these lengths, as three pieces: before, between and after them. */
export function documentPieces(
  info: { readonly title: string; readonly version: string },
  lengths: { readonly paths: number; readonly definitions: number },
): readonly [Uint8Array, Uint8Array, Uint8Array] {
  const writer = new WireWriter();
  message(writer, 13, () =>
    message(writer, 1, () => {
      message(writer, 2, () =>
        message(writer, 2, () => {
          writer.textField(4, "Bearer Token authentication");
          writer.textField(3, "header");
          writer.textField(2, "authorization");
          writer.textField(1, "apiKey");
        }),
      );
      writer.textField(1, "BearerToken");
    }),
  );
  message(writer, 12, () =>
    message(writer, 1, () => {
      message(writer, 2, () => undefined);
      writer.textField(1, "BearerToken");
    }),
  );
  const after = writer.take();
  writer.varint(lengths.definitions);
  writer.tag(9, 2);
  const between = writer.take();
  writer.varint(lengths.paths);
  writer.tag(8, 2);
  message(writer, 2, () => {
    writer.textField(2, info.version);
    writer.textField(1, info.title);
  });
  writer.textField(1, "2.0");
  return [writer.take(), between, after];
}

function entryOf(number: number, name: string, write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter();
  message(writer, number, () => {
    message(writer, 2, () => write(writer));
    writer.textField(1, name);
  });
  return writer.take();
}

function message(writer: WireWriter, number: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.delimit(number, before);
}

function writeSchema(writer: WireWriter, schema: JsonObject): void {
  extensions(writer, 31, schema);
  const { properties, items, type, additionalProperties: additional } = schema;
  if (isJsonObject(properties)) {
    message(writer, 25, () => {
      for (const [name, value] of Object.entries(properties).toReversed()) {
        message(writer, 1, () => {
          message(writer, 2, () => writeSchema(writer, isJsonObject(value) ? value : {}));
          writer.textField(1, name);
        });
      }
    });
  }
  if (isJsonObject(items)) message(writer, 23, () => message(writer, 1, () => writeSchema(writer, items)));
  if (typeof type === "string") message(writer, 22, () => writer.textField(1, type));
  if (isJsonObject(additional))
    message(writer, 21, () => message(writer, 1, () => writeSchema(writer, additional)));
  if (typeof additional === "boolean") message(writer, 21, () => flag(writer, 2, additional));
  for (const value of listOf(schema["enum"]).toReversed()) any(writer, 20, value);
  texts(writer, 19, schema["required"]);
  for (const [name, number] of whole) whole64(writer, number, schema[name]);
  flag(writer, 16, schema["uniqueItems"]);
  for (const [name, number] of lengthsOfLists) whole64(writer, number, schema[name]);
  text(writer, 13, schema["pattern"]);
  for (const [name, number] of lengthsOfTexts) whole64(writer, number, schema[name]);
  flag(writer, 10, schema["exclusiveMinimum"]);
  double(writer, 9, schema["minimum"]);
  flag(writer, 8, schema["exclusiveMaximum"]);
  double(writer, 7, schema["maximum"]);
  double(writer, 6, schema["multipleOf"]);
  text(writer, 4, schema["description"]);
  text(writer, 3, schema["title"]);
  text(writer, 2, schema["format"]);
  text(writer, 1, schema["$ref"]);
}

const whole = [
  ["minProperties", 18],
  ["maxProperties", 17],
] as const;
const lengthsOfLists = [
  ["minItems", 15],
  ["maxItems", 14],
] as const;
const lengthsOfTexts = [
  ["minLength", 12],
  ["maxLength", 11],
] as const;

const operations = [
  ["patch", 8],
  ["delete", 5],
  ["post", 4],
  ["put", 3],
  ["get", 2],
] as const;

function writePath(writer: WireWriter, path: JsonSchema): void {
  for (const parameter of listOf(path["parameters"]).toReversed()) writeParameter(writer, 9, parameter);
  for (const [name, number] of operations) {
    const operation = path[name];
    if (isJsonObject(operation)) message(writer, number, () => writeOperation(writer, operation));
  }
}

function writeOperation(writer: WireWriter, operation: JsonObject): void {
  extensions(writer, 13, operation);
  texts(writer, 10, operation["schemes"]);
  const { responses } = operation;
  message(writer, 9, () => {
    for (const [code, response] of Object.entries(isJsonObject(responses) ? responses : {}).toReversed())
      writeResponse(writer, code, isJsonObject(response) ? response : {});
  });
  for (const parameter of listOf(operation["parameters"]).toReversed()) writeParameter(writer, 8, parameter);
  texts(writer, 7, operation["consumes"]);
  texts(writer, 6, operation["produces"]);
  text(writer, 5, operation["operationId"]);
  text(writer, 3, operation["description"]);
  texts(writer, 1, operation["tags"]);
}

function writeResponse(writer: WireWriter, code: string, { schema, description }: JsonObject): void {
  message(writer, 1, () => {
    message(writer, 2, () =>
      message(writer, 1, () => {
        if (isJsonObject(schema))
          message(writer, 2, () => message(writer, 1, () => writeSchema(writer, schema)));
        text(writer, 1, description);
      }),
    );
    writer.textField(1, code);
  });
}

/** Each place of parameters has a message of its own, whose fields have numbers of their own. */
function writeParameter(writer: WireWriter, number: number, parameter: unknown): void {
  if (!isJsonObject(parameter)) return;
  const { name, in: place, description, required, type, uniqueItems, schema } = parameter;
  message(writer, number, () =>
    message(writer, 1, () => {
      if (place === "body") {
        message(writer, 1, () => {
          if (isJsonObject(schema)) message(writer, 5, () => writeSchema(writer, schema));
          flag(writer, 4, required);
          text(writer, 3, place);
          text(writer, 2, name);
          text(writer, 1, description);
        });
        return;
      }
      const isPath = place === "path";
      message(writer, 2, () =>
        message(writer, isPath ? 4 : 3, () => {
          flag(writer, isPath ? 19 : 20, uniqueItems);
          text(writer, isPath ? 5 : 6, type);
          text(writer, 4, name);
          text(writer, 3, description);
          text(writer, 2, place);
          flag(writer, 1, required);
        }),
      );
    }),
  );
}

function extensions(writer: WireWriter, number: number, object: JsonObject): void {
  for (const [name, value] of Object.entries(object).toReversed()) {
    if (!name.startsWith("x-")) continue;
    message(writer, number, () => {
      any(writer, 2, value);
      writer.textField(1, name);
    });
  }
}

/** Whatever it is, as YAML: JSON is that, too. */
function any(writer: WireWriter, number: number, value: unknown): void {
  message(writer, number, () => writer.textField(2, `${JSON.stringify(value)}\n`));
}

function text(writer: WireWriter, number: number, value: unknown): void {
  if (typeof value === "string" && value !== "") writer.textField(number, value);
}

function texts(writer: WireWriter, number: number, values: unknown): void {
  for (const value of listOf(values).toReversed())
    if (typeof value === "string") writer.textField(number, value);
}

function flag(writer: WireWriter, number: number, value: unknown): void {
  if (value !== true) return;
  writer.varint(1);
  writer.tag(number, 0);
}

function whole64(writer: WireWriter, number: number, value: unknown): void {
  if (typeof value !== "number" || value === 0) return;
  writer.integer(value);
  writer.tag(number, 0);
}

function double(writer: WireWriter, number: number, value: unknown): void {
  if (typeof value !== "number" || value === 0) return;
  writer.double(value);
  writer.tag(number, 1);
}

function listOf(value: unknown): readonly unknown[] {
  return isJsonList(value) ? value : [];
}
