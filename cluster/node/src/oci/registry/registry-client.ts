import { getOwn, isJsonList, isJsonObject, type Clock } from "@kedge/machinery";
import { longestJson, mediaTypes, textOf } from "../descriptor.ts";
import { digestOf, isDigest, type Digest } from "../digest.ts";
import { ImageError } from "../image-error.ts";
import { readChallenge, type Challenge } from "./challenge.ts";
import type { RegistryCredential } from "./docker-config.ts";
import { RegistryError } from "./registry-error.ts";
import { isLoopback, mayAsk, type RegistryAnswer, type RegistryTransport } from "./registry-transport.ts";

/** One repository of a registry, as one user sees it. */
export interface RegistryClient {
  /** A manifest or index by tag or digest, its digest checked. */
  manifest(reference: string): Promise<{ readonly bytes: Buffer; readonly digest: Digest }>;
  /** Content from a byte on. The answer may begin at 0 all the same. */
  blob(
    digest: Digest,
    from: number,
  ): Promise<{ readonly from: number; readonly body: AsyncIterable<Uint8Array> }>;
}

/** What a registry is asked with. */
export interface RegistryClientOptions {
  readonly transport: RegistryTransport;
  readonly clock: Clock;
  /** `docker.io`, `registry.example.com:5000`. */
  readonly host: string;
  /** `library/redis`. */
  readonly path: string;
  /** Undefined: nobody in particular. */
  readonly credential: RegistryCredential | undefined;
  readonly signal: AbortSignal;
}

const accept = [mediaTypes.manifest, mediaTypes.index, mediaTypes.dockerManifest, mediaTypes.dockerList].join(
  ", ",
);
const attempts = 4;
const firstPauseMs = 500;
const longestPauseMs = 20_000;

/** Speaks the protocol of registries (OCI distribution), with tokens and passwords. */
export async function openRegistry(options: RegistryClientOptions): Promise<RegistryClient> {
  const { transport, clock, host, path, credential, signal } = options;
  const base = await baseOf(host, transport, signal);
  let authorization: string | undefined =
    credential?.token === undefined ? undefined : `Bearer ${credential.token}`;

  /** Asks, and answers what the registry wants to know first. */
  const ask = async (url: URL, headers: Readonly<Record<string, string>>): Promise<RegistryAnswer> => {
    const answer = await transport.get(url, { headers, authorization, signal });
    if (answer.status !== 401) return answer;
    const challenge = readChallenge(answer.headers["www-authenticate"] ?? "");
    const next = challenge === undefined ? undefined : await authorizationFor(challenge);
    if (next === undefined || next === authorization) return answer;
    answer.discard();
    authorization = next;
    return await transport.get(url, { headers, authorization, signal });
  };

  const authorizationFor = async (challenge: Challenge): Promise<string | undefined> => {
    if (challenge.scheme === "basic") return credential === undefined ? undefined : basic(credential);
    if (!URL.canParse(challenge.realm, base.href)) return undefined;
    const url = new URL(challenge.realm, base);
    if (!mayAsk(url)) {
      throw new RegistryError(`${host} sends for tokens to ${url.origin}, which is not https`, {
        passes: false,
      });
    }
    if (challenge.service !== "") url.searchParams.set("service", challenge.service);
    url.searchParams.set("scope", challenge.scope === "" ? `repository:${path}:pull` : challenge.scope);
    const answer = await transport.get(url, { authorization: credential && basic(credential), signal });
    if (answer.status !== 200) throw await refusal(answer, `${url.host}, which gives tokens for ${host},`);
    const json: unknown = parsed(await bytesOf(answer, 1 << 20));
    const token = isJsonObject(json) ? textOf(json, "token") || textOf(json, "access_token") : "";
    return token === "" ? undefined : `Bearer ${token}`;
  };

  /** Tries again what may pass. */
  const trying = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RegistryError) || !error.passes || attempt === attempts) throw error;
        await clock.sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)), signal);
      }
    }
  };

  const at = (rest: string): URL => new URL(`/v2/${path}/${rest}`, base);
  return {
    manifest: (reference) =>
      trying(async () => {
        const answer = await ask(at(`manifests/${reference}`), { accept });
        if (answer.status !== 200) throw await refusal(answer, host);
        const bytes = await bytesOf(answer, longestJson);
        const digest = digestOf(bytes);
        const said = answer.headers["docker-content-digest"];
        const wanted = isDigest(reference) ? reference : isDigest(said) ? said : digest;
        if (digest === wanted) return { bytes, digest };
        throw new ImageError("CORRUPT", `${host} gave ${digest} instead of ${wanted}`);
      }),
    blob: (digest, from) =>
      trying(async () => {
        const answer = await ask(at(`blobs/${digest}`), from === 0 ? {} : { range: `bytes=${from}-` });
        if (answer.status === 200) return { from: 0, body: answer.body };
        const begins = /^bytes (\d+)-/u.exec(answer.headers["content-range"] ?? "")?.[1];
        if (answer.status === 206 && Number(begins) === from) return { from, body: answer.body };
        throw await refusal(answer, host);
      }),
  };
}

/** Docker Hub has another name for programs. This very machine may speak without encryption. */
async function baseOf(host: string, transport: RegistryTransport, signal: AbortSignal): Promise<URL> {
  const secure = new URL(`https://${host === "docker.io" ? "registry-1.docker.io" : host}`);
  if (!isLoopback(secure.hostname)) return secure;
  try {
    const answer = await transport.get(new URL("/v2/", secure), { signal });
    answer.discard();
    return secure;
  } catch (error) {
    signal.throwIfAborted();
    // A door that is shut is shut for both.
    const cause = error instanceof RegistryError ? error.cause : undefined;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "ECONNREFUSED") throw error;
    return new URL(`http://${host}`);
  }
}

function basic({ username, password }: RegistryCredential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

async function bytesOf(answer: RegistryAnswer, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > limit) {
      answer.discard();
      throw new ImageError("TOO_LARGE", `a registry's answer is larger than ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What the registry says about it, in its own words. */
async function refusal(answer: RegistryAnswer, who: string): Promise<RegistryError> {
  const { status } = answer;
  const text = await bytesOf(answer, 1 << 16).catch(() => Buffer.alloc(0));
  const json: unknown = parsed(text);
  const errors = isJsonObject(json) ? getOwn(json, "errors") : undefined;
  const first: unknown = isJsonList(errors) ? errors[0] : undefined;
  const said = isJsonObject(first) ? `: ${textOf(first, "message") || textOf(first, "code")}` : "";
  const message = `${who} answered ${status}${said.slice(0, 200)}`;
  return new RegistryError(message, { status, passes: status === 429 || status >= 500 });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
