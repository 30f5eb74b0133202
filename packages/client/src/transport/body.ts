import type { Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import type { ApiHeaders } from "@kedge/machinery";
import { abortFailure, transportFailure } from "../failures.ts";
import { readableChunks } from "./readable-chunks.ts";

/** What a body's reader needs to speak of its failures. */
export interface BodyContext {
  /** For messages: `GET https://host/api/v1/pods`. */
  readonly what: string;
  readonly where: string;
  readonly signal: AbortSignal | undefined;
  /** Called once when the body has ended, failed or been left. */
  readonly done?: () => void;
}

/** A node stream as a response body: inflated, with our errors, closed when the reader leaves early. */
export async function* bodyOf(
  source: Readable,
  headers: ApiHeaders,
  context: BodyContext,
): AsyncGenerator<Uint8Array> {
  const stream = headers["content-encoding"] === "gzip" ? inflate(source) : source;
  try {
    yield* readableChunks(stream);
  } catch (error) {
    if (context.signal?.aborted === true) throw abortFailure(context.signal, context.what);
    throw transportFailure(error, context.where, "exchange");
  } finally {
    source.destroy();
    context.done?.();
  }
}

function inflate(source: Readable): Readable {
  // Flushed blocks are handed out as they come: a compressed watch must not wait for its end.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  source.once("error", (error) => gunzip.destroy(error));
  source.once("close", () => {
    if (!source.readableEnded) gunzip.destroy(new Error("it was closed before its end"));
  });
  return source.pipe(gunzip);
}
