import type { ApiResponse } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";
import { parseObject, type ParseOptions } from "../json/parse-object.ts";

/** The whole body. */
export async function readBytes(answer: ApiResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(chunks);
}

/** The body as text, up to a number of bytes; a longer one is cut there, or is a failure. */
export async function readText(answer: ApiResponse, most: number, overlong: "cut" | "fail"): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= most) continue;
    if (overlong === "cut") break;
    throw new ClientError("TOO_LARGE", `the answer is longer than ${most} bytes`, {
      hint: "ask for less of it, or read it as a stream",
    });
  }
  return Buffer.concat(chunks).toString("utf8", 0, most);
}

/** The body as JSON. */
export async function readJson(answer: ApiResponse, options?: ParseOptions): Promise<unknown> {
  const bytes = await readBytes(answer);
  try {
    return parseObject(bytes, options);
  } catch (error) {
    throw notJson(answer, bytes.toString("utf8", 0, 200), error);
  }
}

/** What to say when an answer is not what its reader expected: usually a proxy or a login page speaks. */
function notJson(answer: ApiResponse, begin: string, cause: unknown): ClientError {
  const type = headerOf(answer, "content-type") ?? "no content-type";
  return new ClientError("PROTOCOL", `the answer (${answer.status}, ${type}) is not JSON: ${begin}`, {
    cause,
    hint: "is this the URL of an API server, or of something in front of it?",
  });
}

/** A header's value; the first one when it was sent more than once. */
export function headerOf(answer: Pick<ApiResponse, "headers">, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "object" ? value[0] : value;
}
