import type { Readable } from "node:stream";

/**
 * The chunks of a node stream, with back-pressure. Not `for await`: that takes an HTTP/2 stream which the peer has
 * closed for cut off, although all of it is here and only waits to be read.
 */
export async function* readableChunks(stream: Readable): AsyncGenerator<Uint8Array> {
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const onChange = (): void => wake?.();
  const onError = (error: Error): void => {
    failure = error;
    wake?.();
  };
  stream.on("readable", onChange).on("end", onChange).on("close", onChange).on("error", onError);
  try {
    for (;;) {
      const chunk: unknown = stream.destroyed ? null : stream.read();
      if (chunk instanceof Uint8Array) yield chunk;
      else if (stream.readableEnded) return;
      else if (failure !== undefined) throw failure;
      else if (stream.destroyed) throw stream.errored ?? new Error("it was closed before its end");
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stream.off("readable", onChange).off("end", onChange).off("close", onChange);
    // The listener for errors stays: one that comes now has nobody else to go to.
    stream.destroy();
  }
}
