import { isJsonObject, type JsonObject } from "@kedge/machinery";
import { DecodeError } from "./decode-error.ts";
import { goKindOf } from "./go-place.ts";
import { parseJson } from "./parse-json.ts";
import { JsonSyntaxError, scanJson } from "./scan-json.ts";
import type { YamlReader } from "./yaml-reader.ts";

/** What is applied, and what is in it twice. */
export interface Applied {
  readonly value: JsonObject;
  /** `line 5: key "data" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Reads the body of an apply: YAML 1.1, of which the first document counts. Throws a `DecodeError`. */
export async function parseApplied(text: string, yaml: YamlReader): Promise<Applied> {
  const { value, duplicates } = fromJson(text) ?? (await fromYaml(text, yaml));
  if (value !== null && !isJsonObject(value)) {
    throw new DecodeError(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKindOf(value)} into Go value of type map[string]interface {}`,
    );
  }
  return { value: { apiVersion: "", kind: "", ...value }, duplicates };
}

interface Read {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

/** All JSON is YAML, and what clients send is JSON mostly. Undefined when it is not. */
function fromJson(text: string): Read | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const { value, hasDuplicates } = parseJson(text);
    return { value, duplicates: hasDuplicates ? duplicatesIn(text) : [] };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

async function fromYaml(text: string, yaml: YamlReader): Promise<Read> {
  try {
    const { json, duplicates } = await yaml.read(text, "first");
    return { value: parseJson(json).value, duplicates };
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof JsonSyntaxError)) throw error;
    throw new DecodeError(`error converting YAML to JSON: ${error.message}`, { cause: error });
  }
}

/** More is not told. */
const mostDuplicates = 1000;

function duplicatesIn(text: string): readonly string[] {
  const found: string[] = [];
  let line = 1;
  let counted = 0;
  scanJson(text, (_, { name, at, repeated }) => {
    if (!repeated) return false;
    for (; counted < at; counted++) if (text.charCodeAt(counted) === 0x0a) line++;
    found.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
    return found.length >= mostDuplicates;
  });
  return found;
}
