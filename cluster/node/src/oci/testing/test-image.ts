import { gzipSync } from "node:zlib";
import { tarEnd, tarHeader, tarPadding } from "../../tar/write-tar.ts";
import type { TarEntry } from "../../tar/types.ts";
import { mediaTypes } from "../descriptor.ts";
import { digestOf, hexOf, type Digest } from "../digest.ts";

/** An entry of an archive: what a test does not say is the plainest. */
export type TestEntry = Partial<Omit<TarEntry, "size">> & {
  readonly name: string;
  readonly content?: string | Buffer;
};

/** Writes an archive. */
export function tarOf(entries: readonly TestEntry[]): Buffer {
  const parts = entries.flatMap(({ content = "", ...entry }) => {
    const bytes = Buffer.from(content);
    const header = tarHeader({
      type: entry.name.endsWith("/") ? "folder" : "file",
      mode: entry.name.endsWith("/") ? 0o755 : 0o644,
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      mtime: 1_700_000_000,
      linkName: "",
      xattrs: new Map(),
      ...entry,
      size: bytes.length,
    });
    return [header, bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...parts, tarEnd]);
}

/** An image to be made. */
export interface TestImage {
  /** The lowest first. */
  readonly layers: readonly (readonly TestEntry[])[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly architecture?: string;
  /** How layers are compressed. Default: gzip. */
  readonly compress?: (tar: Buffer) => Buffer;
}

/** An image as a registry has it. */
export interface BuiltImage {
  readonly manifest: Buffer;
  readonly digest: Digest;
  readonly config: Buffer;
  readonly id: Digest;
  /** Uncompressed. */
  readonly tars: readonly Buffer[];
  /** All content but the manifest. */
  readonly blobs: ReadonlyMap<Digest, Buffer>;
}

/** Builds an image as others do: by a manifest, a configuration and layers. */
export function buildImage({
  layers,
  config = {},
  architecture = "amd64",
  compress = gzipSync,
}: TestImage): BuiltImage {
  const tars = layers.map(tarOf);
  const compressed = tars.map(compress);
  const diffIds = tars.map((tar) => digestOf(tar));
  const about = Buffer.from(
    JSON.stringify({ architecture, os: "linux", config, rootfs: { type: "layers", diff_ids: diffIds } }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: { mediaType: mediaTypes.config, digest: digestOf(about), size: about.length },
      layers: compressed.map((layer) => ({
        mediaType: `${mediaTypes.layer}+gzip`,
        digest: digestOf(layer),
        size: layer.length,
      })),
    }),
  );
  const blobs = new Map([about, ...compressed].map((blob) => [digestOf(blob), blob]));
  return { manifest, digest: digestOf(manifest), config: about, id: digestOf(about), tars, blobs };
}

/** As `docker save` wrote it for years. */
export function dockerArchive(
  images: readonly { readonly image: BuiltImage; readonly tags: readonly string[] }[],
): Buffer {
  const entries: TestEntry[] = [];
  const list = images.map(({ image, tags }) => {
    const config = `${hexOf(image.id)}.json`;
    const layers = image.tars.map((tar, i) => ({ name: `${hexOf(image.id)}-${i}/layer.tar`, content: tar }));
    entries.push({ name: config, content: image.config }, ...layers);
    return { Config: config, RepoTags: tags, Layers: layers.map(({ name }) => name) };
  });
  return tarOf([...entries, { name: "manifest.json", content: JSON.stringify(list) }]);
}

/** The files of an OCI layout. */
export function ociLayout(
  images: readonly {
    readonly image: BuiltImage;
    readonly annotations?: object;
    readonly platform?: object;
  }[],
): readonly TestEntry[] {
  const blobs = new Map<string, Buffer>();
  const manifests = images.map(({ image, annotations, platform }) => {
    blobs.set(image.digest, image.manifest);
    for (const [digest, blob] of image.blobs) blobs.set(digest, blob);
    return {
      mediaType: mediaTypes.manifest,
      digest: image.digest,
      size: image.manifest.length,
      annotations,
      platform,
    };
  });
  return [
    { name: "oci-layout", content: JSON.stringify({ imageLayoutVersion: "1.0.0" }) },
    { name: "index.json", content: JSON.stringify({ schemaVersion: 2, manifests }) },
    ...Array.from(blobs, ([digest, blob]) => ({ name: `blobs/sha256/${digest.slice(7)}`, content: blob })),
  ];
}
