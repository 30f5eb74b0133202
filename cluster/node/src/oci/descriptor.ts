import { isJsonObject, isJsonList, getOwn, type JsonObject } from "@kedge/machinery";
import { isDigest, type Digest } from "./digest.ts";
import { ImageError } from "./image-error.ts";

/** Points to content. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly platform?: { readonly os: string; readonly architecture: string };
}

/** The kinds of content that an image is made of. */
export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
} as const;

/** No manifest, index or configuration is larger. */
export const longestJson = 4 << 20;

/** Reads a document of an image. */
export function readJson(bytes: Uint8Array, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    throw new ImageError("ARCHIVE", `${what} is not JSON`, { cause: error });
  }
  if (isJsonObject(value)) return value;
  throw new ImageError("ARCHIVE", `${what} is no JSON object`);
}

/** Reads one descriptor. */
export function readDescriptor(value: unknown, what: string): Descriptor {
  if (!isJsonObject(value)) throw new ImageError("ARCHIVE", `${what} is missing`);
  const digest = getOwn(value, "digest");
  const size = getOwn(value, "size");
  if (!isDigest(digest)) {
    throw new ImageError("ARCHIVE", `${what} has the digest "${String(digest)}": Kedge knows sha256 only`);
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw new ImageError("ARCHIVE", `${what} has the size ${String(size)}, which is none`);
  }
  const mediaType = textOf(value, "mediaType");
  const platform = getOwn(value, "platform");
  return {
    mediaType,
    digest,
    size,
    annotations: textsOf(getOwn(value, "annotations")),
    ...(isJsonObject(platform) && {
      platform: { os: textOf(platform, "os"), architecture: textOf(platform, "architecture") },
    }),
  };
}

/** A text of an object; empty when it has none. */
export function textOf(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

/** The texts of a list; empty when it is none. */
export function textList(value: unknown): readonly string[] {
  return isJsonList(value) ? value.filter((item) => typeof item === "string") : [];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(texts);
}
