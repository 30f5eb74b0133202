import { json } from "node:stream/consumers";
import { Readable } from "node:stream";
import type { ApiResponse } from "@kedge/machinery";

/** The body of an answer, from JSON. */
export async function readJson(response: ApiResponse): Promise<unknown> {
  return await json(Readable.from(response.body));
}
