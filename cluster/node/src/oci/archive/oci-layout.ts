import { mediaTypes, type Descriptor } from "../descriptor.ts";
import { hexOf, type Digest } from "../digest.ts";
import { ImageError } from "../image-error.ts";
import { forPlatform, readManifest } from "../manifest.ts";
import type { Staging } from "../staging.ts";
import type { ArchiveFiles } from "./archive-files.ts";

/** An image of an archive, its content staged. */
export interface FoundImage {
  readonly manifest: Digest;
  /** As the archive has it; none: it says no name. */
  readonly names: readonly string[];
}

/** Annotations that say an image's name, the best first. The last one may be a tag only. */
const nameAnnotations = ["io.containerd.image.name", "org.opencontainers.image.ref.name"];

/** Stages the images of an OCI layout: those for this machine. */
export async function stageOciLayout(
  files: ArchiveFiles,
  staging: Staging,
  { architecture, limit }: { readonly architecture: string; readonly limit: number },
): Promise<readonly FoundImage[]> {
  const stage = async (digest: Digest, what: string): Promise<void> => {
    if (staging.has(digest)) return;
    const source = await files.open(`blobs/sha256/${hexOf(digest)}`);
    if (source === undefined) throw new ImageError("ARCHIVE", `the archive lacks ${what}: ${digest}`);
    await staging.put(source, { digest, limit, what });
  };
  const stageImage = async ({ digest }: Descriptor, what: string, depth = 0): Promise<Digest> => {
    await stage(digest, what);
    const document = readManifest(await staging.read(digest), what);
    if (document.kind === "index") {
      if (depth > 2) throw new ImageError("ARCHIVE", `${what} is an index of indexes of indexes`);
      return await stageImage(forPlatform(document.manifests, architecture, what), what, depth + 1);
    }
    await stage(document.config.digest, `the configuration of ${what}`);
    for (const layer of document.layers) await stage(layer.digest, `a layer of ${what}`);
    return digest;
  };
  const index = await files.read("index.json");
  const document = index === undefined ? undefined : readManifest(index, "index.json");
  if (document?.kind !== "index" || document.manifests.length === 0) {
    throw new ImageError("ARCHIVE", "index.json names no image");
  }
  const images = document.manifests.filter(isImage);
  const named = images.filter((descriptor) => namesOf(descriptor).length > 0);
  // Without names they are one image for several platforms.
  const wanted =
    named.length > 0 || images.length === 1 ? images : [forPlatform(images, architecture, "the archive")];
  const found: FoundImage[] = [];
  for (const descriptor of wanted) {
    const names = namesOf(descriptor);
    found.push({ manifest: await stageImage(descriptor, names[0] ?? "the image"), names });
  }
  return found;
}

function isImage({ mediaType, annotations }: Descriptor): boolean {
  const known: readonly string[] = [
    mediaTypes.manifest,
    mediaTypes.index,
    mediaTypes.dockerManifest,
    mediaTypes.dockerList,
    "",
  ];
  return known.includes(mediaType) && annotations["vnd.docker.reference.type"] === undefined;
}

function namesOf({ annotations }: Descriptor): readonly string[] {
  const names = nameAnnotations.flatMap((key) => annotations[key] ?? []);
  // `latest` alone is a tag of something that only whoever made the archive knows.
  const full = names.find((name) => /[/:@]/u.test(name));
  return full === undefined ? [] : [full];
}
