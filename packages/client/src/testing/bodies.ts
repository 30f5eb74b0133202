import type { ApiResponse } from "@kedge/machinery";

/** An answer with a JSON body. */
export function jsonAnswer(
  value: unknown,
  init: { status?: number; headers?: ApiResponse["headers"] } = {},
): ApiResponse {
  return {
    status: init.status ?? 200,
    headers: { "content-type": "application/json", ...init.headers },
    body: chunksOf(JSON.stringify(value)),
  };
}

/** Texts as a body, each a chunk. */
export async function* chunksOf(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === "string" ? Buffer.from(text) : text;
}

/** A body that sends its texts and then nothing more, until the reader is gone. */
export async function* stalling(
  signal: AbortSignal | undefined,
  ...texts: string[]
): AsyncGenerator<Uint8Array> {
  yield* chunksOf(...texts);
  if (signal === undefined) throw new Error("a stalling body needs a signal");
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** The whole body as text. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
