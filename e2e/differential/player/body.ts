import { parseJsonExactly, type ApiResponse } from "@kedge/machinery";
import { parseYamlExactly } from "../script/exact-yaml.ts";
import { readFrames, readProtobuf } from "./protobuf-body.ts";

/** What an answer carried: a JSON (or YAML) value, or text, or bytes, or nothing. */
export interface Body {
  readonly value?: unknown;
  readonly text?: string;
  /** In which binary form it came. */
  readonly binary?: string;
}

/** Reads the body of an answer to its end. */
export async function bodyOf(answer: ApiResponse): Promise<Body> {
  const bytes = Buffer.concat(await Array.fromAsync(answer.body));
  if (bytes.length === 0) return {};
  const type = contentTypeOf(answer);
  const form = Object.entries(magicBytes).find(([, magic]) =>
    bytes.subarray(0, 4).toString("hex").startsWith(magic),
  );
  if (form?.[0] === "protobuf") return { binary: form[0], value: readProtobuf(bytes) };
  if (form !== undefined) return { binary: form[0] };
  if (type.startsWith("application/vnd.kubernetes.protobuf;stream=watch"))
    return { binary: "protobuf", value: readFrames(bytes) };
  const text = bytes.toString("utf8");
  if (type.startsWith("application/json") || type.startsWith("application/apply-patch"))
    return parsed(text, parseJsonExactly);
  if (type.startsWith("application/yaml")) return parsed(text, parseYamlExactly);
  // The root of OpenAPI v3 says of itself that it is plain text.
  if (text.startsWith("{")) return parsed(text, parseJsonExactly);
  return { text };
}

/** Does the answer to a watch stream JSON? */
export function streamsJson(answer: ApiResponse): boolean {
  return answer.status === 200 && contentTypeOf(answer).startsWith("application/json");
}

const magicBytes: Readonly<Record<string, string>> = { protobuf: "6b387300", cbor: "d9d9f7" };

function contentTypeOf({ headers }: ApiResponse): string {
  return [headers["content-type"] ?? ""].flat().join(", ");
}

/** What says of itself that it is JSON and is not, is compared as text. */
function parsed(text: string, parser: (text: string) => unknown): Body {
  try {
    return { value: parser(text) };
  } catch {
    return { text };
  }
}
