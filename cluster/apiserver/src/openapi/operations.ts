import { referenceTo, type JsonSchema } from "./json-schema.ts";
import { parametersOf, type ParameterName } from "./parameters.ts";

/** What an operation is made of. */
export interface OperationFacts {
  readonly id: string;
  readonly tag: string;
  readonly action: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly parameters: readonly ParameterName[];
  /** The name of the schema of what is answered. */
  readonly answer: string;
  readonly created?: boolean;
  readonly body?: OperationBody | undefined;
}

/** What is sent. */
export interface OperationBody {
  readonly schema: string;
  /** Default: any. */
  readonly types?: readonly string[];
}

/** One operation of a path. */
export function operation({ id, tag, action, kind, parameters, ...facts }: OperationFacts): JsonSchema {
  const answer = { content: contentOf(facts.answer, answerTypes) };
  return {
    tags: [tag],
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parametersOf(parameters) }),
    ...(facts.body === undefined ? {} : { requestBody: requestBody(facts.body) }),
    responses: {
      200: { description: "OK", ...answer },
      ...(facts.created === true ? { 201: { description: "Created", ...answer } } : {}),
      401: { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

const answerTypes = ["application/json", "application/yaml"];

function requestBody({ schema, types }: OperationBody): JsonSchema {
  return { content: contentOf(schema, types ?? ["*/*"]), required: true };
}

function contentOf(schema: string, types: readonly string[]): JsonSchema {
  return Object.fromEntries(types.map((type) => [type, { schema: referenceTo(schema) }]));
}
