import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { getCACertificates } from "node:tls";
import type { Clock } from "@kedge/machinery";
import { RegistryError } from "./registry-error.ts";

/** Asks registries. */
export interface RegistryTransport extends Disposable {
  /** Follows redirections; what it resolves with has to be read or destroyed. */
  get(url: URL, options: GetOptions): Promise<RegistryAnswer>;
}

/** How something is asked for. */
export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to the place that was asked, and to no other that it leads to. */
  readonly authorization?: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer whose body is still to come. */
export interface RegistryAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** Ends with an error when nothing comes for half a minute. */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Nothing came for this long: the registry is given up. */
const silenceMs = 30_000;
const mostRedirects = 5;

/** Talks HTTP/1.1; certificates are checked with those that this machine trusts. */
export function createRegistryTransport(options: {
  readonly clock: Clock;
  /** Default: those of the system, and Node.js' own. */
  readonly authorities?: readonly string[] | undefined;
}): RegistryTransport {
  const { clock } = options;
  let secure: HttpsAgent | undefined;
  const plain = new HttpAgent({ keepAlive: true, maxSockets: 6 });
  const agentFor = (url: URL): HttpAgent => {
    if (url.protocol === "http:") return plain;
    const ca = options.authorities ?? [...getCACertificates("default"), ...getCACertificates("system")];
    secure ??= new HttpsAgent({ keepAlive: true, maxSockets: 6, ca: [...ca] });
    return secure;
  };

  const ask = async (url: URL, { headers, authorization, signal }: GetOptions): Promise<RegistryAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = url.protocol === "http:" ? httpRequest : httpsRequest;
    const request = send(url, {
      agent: agentFor(url),
      headers: { "user-agent": "kedge", ...headers, ...(authorization !== undefined && { authorization }) },
      signal,
    });
    request.on("error", reject).on("response", resolve);
    request.end();
    const silent = (): unknown => request.destroy(new Error(`nothing came for ${silenceMs / 1000} s`));
    let silence = clock.timer(silenceMs, silent);
    const heard = (): void => {
      silence.cancel();
      silence = clock.timer(silenceMs, silent);
    };
    try {
      const response = await promise;
      // Whoever does not read it to its end lets it go.
      response.on("error", () => undefined).on("close", () => silence.cancel());
      heard();
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: chunksOf(response, heard),
        discard: () => response.destroy(),
      };
    } catch (error) {
      silence.cancel();
      signal.throwIfAborted();
      throw new RegistryError(`${url.host} cannot be reached: ${reasonOf(error)}`, {
        cause: error,
        passes: isPassing(error),
      });
    }
  };

  return {
    async get(url, getOptions) {
      let at = url;
      for (let hops = 0; hops <= mostRedirects; hops += 1) {
        const authorization = at.origin === url.origin ? getOptions.authorization : undefined;
        const answer = await clock.track(ask(at, { ...getOptions, authorization }));
        const { location } = answer.headers;
        if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
        answer.discard();
        const next = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
        if (next === undefined || !mayAsk(next)) {
          throw new RegistryError(`${at.host} leads to a place that is not https`, { passes: false });
        }
        at = next;
      }
      throw new RegistryError(`${url.host} leads on and on`, { passes: false });
    },
    [Symbol.dispose]() {
      plain.destroy();
      secure?.destroy();
    },
  };
}

/** Without encryption only this very machine is asked. */
export function mayAsk(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/gu, "");
  return (
    bare === "localhost" ||
    bare.endsWith(".localhost") ||
    bare === "::1" ||
    /^127(?:\.\d{1,3}){3}$/u.test(bare)
  );
}

async function* chunksOf(response: IncomingMessage, heard: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) {
      heard();
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (error) {
    throw new RegistryError(`the connection broke: ${reasonOf(error)}`, { cause: error, passes: true });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Where a name has several addresses, the error of each is inside.
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}

/** A name that nobody knows, a door that is shut, a certificate that is wrong: these stay so. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["ECONNRESET", "ETIMEDOUT", "EPIPE"].includes(code);
}
