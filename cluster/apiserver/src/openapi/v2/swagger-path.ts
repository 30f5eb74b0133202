import { isJsonList, isJsonObject, type JsonObject } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";
import { swaggerSchema } from "./swagger-schema.ts";

/** A path with its operations as OpenAPI v2 says it. */
export function swaggerPath(path: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(path).map(([name, value]) => [
      name,
      name === "parameters" ? parameters(value) : swaggerOperation(isJsonObject(value) ? value : {}),
    ]),
  );
}

function swaggerOperation({ requestBody, responses, parameters: others, ...rest }: JsonObject): JsonSchema {
  const body = isJsonObject(requestBody) ? requestBody : undefined;
  const isRequired = body?.["required"] === true ? { required: true } : {};
  const sent = body === undefined ? [] : [{ name: "body", in: "body", ...isRequired, ...schemaOf(body) }];
  const listed = [...sent, ...parameters(others)];
  return {
    ...rest,
    consumes: body === undefined ? ["*/*"] : typesOf(body),
    produces: ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
    schemes: ["https"],
    ...(listed.length === 0 ? {} : { parameters: listed }),
    responses: Object.fromEntries(
      Object.entries(isJsonObject(responses) ? responses : {}).map(([code, response]) => [
        code,
        swaggerResponse(isJsonObject(response) ? response : {}),
      ]),
    ),
  };
}

function swaggerResponse(response: JsonObject): JsonSchema {
  const { content: _, ...rest } = response;
  return { ...rest, ...schemaOf(response) };
}

/** The schema of what is sent or answered: the same in each form. */
function schemaOf({ content }: JsonObject): { readonly schema?: JsonSchema } {
  const [first] = Object.values(isJsonObject(content) ? content : {});
  const schema = isJsonObject(first) ? first["schema"] : undefined;
  return isJsonObject(schema) ? { schema: swaggerSchema(schema) } : {};
}

function typesOf({ content }: JsonObject): readonly string[] {
  return Object.keys(isJsonObject(content) ? content : {});
}

/** In v2 a parameter is no schema, but has the words of one. */
function parameters(list: unknown): readonly JsonSchema[] {
  if (!isJsonList(list)) return [];
  return list
    .filter(isJsonObject)
    .map(({ schema, ...rest }) => ({ ...rest, ...(isJsonObject(schema) ? schema : {}) }));
}
