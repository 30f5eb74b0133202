import { messageOf, type Clock } from "@kedge/machinery";
import { longestJson, mediaTypes, type Descriptor } from "../descriptor.ts";
import type { Digest } from "../digest.ts";
import { ImageError } from "../image-error.ts";
import { fullRepository, imageNameText, registryOf, type ImageName } from "../image-name.ts";
import type { ImageRecord } from "../image-record.ts";
import { forPlatform, readManifest } from "../manifest.ts";
import type { OciStore } from "../oci-store.ts";
import type { Staging } from "../staging.ts";
import { credentialsFor, type RegistryCredential } from "./docker-config.ts";
import { openRegistry, type RegistryClient } from "./registry-client.ts";
import { RegistryError } from "./registry-error.ts";
import type { RegistryTransport } from "./registry-transport.ts";

/** What an image is pulled with. */
export interface PullOptions {
  readonly store: OciStore;
  readonly transport: RegistryTransport;
  readonly clock: Clock;
  readonly credentials: readonly RegistryCredential[];
  readonly signal: AbortSignal;
}

/** At the same time, as with containerd. */
const downloadsAtOnce = 3;
/** How often a download goes on after it was cut off without having come further. */
const idleAttempts = 5;

/**
 * Brings an image from its registry into the store. What the store has already is not fetched again. The same content
 * under this name is left as it is.
 */
export async function pullImage(name: ImageName, options: PullOptions): Promise<ImageRecord> {
  const { store, credentials } = options;
  const { host } = registryOf(name.repository);
  const text = imageNameText(name);
  const fitting = credentialsFor(fullRepository(name.repository), credentials);
  const users = fitting.length === 0 ? [undefined] : fitting;
  let failure: unknown;
  for (const credential of users) {
    try {
      return await pullAs(name, credential, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error;
      // Another secret may open the door.
      if (!(error instanceof RegistryError) || (error.status !== 401 && error.status !== 403)) break;
    }
  }
  if (failure instanceof ImageError) throw failure;
  throw new ImageError(
    "FAILED",
    `image ${text} cannot be pulled: ${messageOf(failure)}; ${wayOut(text, failure, fitting, host)}`,
    {
      cause: failure,
    },
  );

  async function pullAs(
    wanted: ImageName,
    credential: RegistryCredential | undefined,
    { transport, clock, signal }: PullOptions,
  ): Promise<ImageRecord> {
    const place = registryOf(wanted.repository);
    const registry = await openRegistry({ transport, clock, signal, credential, ...place });
    const top = await registry.manifest(wanted.digest ?? wanted.tag);
    const repoDigest = `${wanted.repository}@${top.digest}`;
    const here = await store.read(text);
    if (here?.repoDigests.includes(repoDigest) === true) return here;
    await using staging = await store.stage();
    const manifest = await stageManifest(top, { registry, staging, store, what: text });
    const document = readManifest(await staging.read(manifest), text);
    if (document.kind !== "image")
      throw new ImageError("ARCHIVE", `${text} is an index of indexes of images`);
    const total = document.layers.reduce((sum, { size }) => sum + size, 0);
    if (total > store.limits.bytes) throw new ImageError("TOO_LARGE", `${text} has ${total} bytes of layers`);
    await fetchAll([document.config, ...document.layers], { registry, staging, signal });
    const origin = `pulled from ${place.host}`;
    const [record] = await store.take(staging, {
      names: [text],
      manifest,
      from: "registry",
      origin,
      repoDigests: [repoDigest],
    });
    if (record === undefined) throw new Error(`${text} was not taken`);
    return record;
  }
}

function wayOut(
  text: string,
  failure: unknown,
  fitting: readonly RegistryCredential[],
  host: string,
): string {
  const load = `to run it from an archive: kedge image load FILE.tar --name ${text}`;
  const status = failure instanceof RegistryError ? failure.status : undefined;
  if (status !== 401 && status !== 403) return load;
  if (fitting.length > 0) return `see that the pod's imagePullSecrets are right for ${host}; ${load}`;
  return `name a secret for ${host} in the pod's imagePullSecrets (kubectl create secret docker-registry); ${load}`;
}

interface Fetching {
  readonly registry: RegistryClient;
  readonly staging: Staging;
}

/** The manifest for this machine, by way of an index where there is one. */
async function stageManifest(
  top: { readonly bytes: Buffer; readonly digest: Digest },
  { registry, staging, store, what }: Fetching & { readonly store: OciStore; readonly what: string },
): Promise<Digest> {
  const put = async (bytes: Buffer): Promise<Digest> =>
    await staging.put(one(bytes), { limit: longestJson, what: `the manifest of ${what}` });
  const document = readManifest(top.bytes, what);
  if (document.kind === "image") return await put(top.bytes);
  const { digest } = forPlatform(document.manifests.filter(isImage), store.architecture, what);
  return await put((await registry.manifest(digest)).bytes);
}

function isImage({ mediaType }: Descriptor): boolean {
  return mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest || mediaType === "";
}

async function fetchAll(
  wanted: readonly Descriptor[],
  options: Fetching & { readonly signal: AbortSignal },
): Promise<void> {
  const missing = new Map(wanted.map((descriptor) => [descriptor.digest, descriptor]));
  const waiting = [...missing.values()].filter(({ digest }) => !options.staging.has(digest));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await fetchBlob(next, options).catch((error: unknown): never => {
        // The others end with what they are at.
        waiting.length = 0;
        throw error;
      });
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: downloadsAtOnce }, work));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Goes on where it was cut off, for as long as it comes further. */
async function fetchBlob(
  { digest, size }: Descriptor,
  { registry, staging, signal }: Fetching & { readonly signal: AbortSignal },
): Promise<void> {
  const what = `the content ${digest}`;
  const part = await staging.partial();
  try {
    for (let idle = 0; ;) {
      signal.throwIfAborted();
      const before = part.bytes;
      const { from, body } = await registry.blob(digest, part.bytes);
      if (from !== part.bytes) await part.restart();
      try {
        for await (const chunk of body) {
          if (part.bytes + chunk.length > size) {
            throw new ImageError(
              "CORRUPT",
              `${what} is longer than the ${size} bytes that its manifest says`,
            );
          }
          await part.add(chunk);
        }
        if (part.bytes < size) throw new RegistryError(`${what} was cut off`, { passes: true });
        break;
      } catch (error) {
        if (!(error instanceof RegistryError) || !error.passes) throw error;
        idle = part.bytes > before ? 0 : idle + 1;
        if (idle >= idleAttempts) throw error;
      }
    }
    await part.finish({ digest, limit: size, what });
  } finally {
    await part.close();
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
