import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Clock } from "@kedge/machinery";
import { PackageError } from "./package-error.ts";

/** How a file is fetched. */
export interface DownloadOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Lower-case hexadecimal SHA-256 that the file must have; undefined: any. */
  readonly sha256?: string | undefined;
  readonly onBytes?: (bytes: number) => void;
}

/** Nothing arrived for this long: the mirror is given up. */
const silenceMs = 30_000;

/**
 * Fetches a file of a mirror into memory (packages are a few megabytes) and checks its sum. Undefined: the mirror says
 * that there is no such file.
 */
export function download(url: string, options: DownloadOptions): Promise<Buffer | undefined> {
  return options.clock.track(fetchFile(url, options));
}

async function fetchFile(url: string, options: DownloadOptions): Promise<Buffer | undefined> {
  const content = await fetchBytes(url, options);
  if (content === undefined || options.sha256 === undefined) return content;
  const sum = createHash("sha256").update(content).digest("hex");
  if (sum === options.sha256) return content;
  throw new PackageError("CHECKSUM", `${url} has the SHA-256 ${sum}, but it must have ${options.sha256}`);
}

async function fetchBytes(url: string, options: DownloadOptions): Promise<Buffer | undefined> {
  const { clock, onBytes } = options;
  const gaveUp = new AbortController();
  const giveUp = (): void => gaveUp.abort(new Error(`nothing arrived for ${silenceMs / 1000} s`));
  const signal = AbortSignal.any(
    options.signal === undefined ? [gaveUp.signal] : [gaveUp.signal, options.signal],
  );
  let silence = clock.timer(silenceMs, giveUp);
  const heard = (): void => {
    silence.cancel();
    silence = clock.timer(silenceMs, giveUp);
  };
  try {
    const response = await fetch(url, { signal });
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok || response.body === null) throw new Error(`the mirror answered ${response.status}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of Readable.fromWeb(response.body)) {
      heard();
      if (!(chunk instanceof Uint8Array)) throw new TypeError("the body is not bytes");
      chunks.push(chunk);
      onBytes?.(chunk.byteLength);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new PackageError("NO_NETWORK", `could not fetch ${url}: ${causeOf(error)}`, { cause: error });
  } finally {
    silence.cancel();
  }
}

/** `fetch` says "fetch failed"; why is in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
