import { getOwn, isJsonList, isJsonObject } from "@kedge/machinery";
import { mediaTypes, textList, textOf, type Descriptor } from "../descriptor.ts";
import { readImageConfig } from "../image-config.ts";
import { ImageError } from "../image-error.ts";
import type { Staging } from "../staging.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import type { FoundImage } from "./oci-layout.ts";
import { stat } from "node:fs/promises";

/** Stages the images of what `docker save` writes. Their manifests are made here: such an archive has none. */
export async function stageDockerArchive(
  files: ArchiveFiles,
  staging: Staging,
  { limit }: { readonly limit: number },
): Promise<readonly FoundImage[]> {
  const stage = async (name: string, mediaType: string): Promise<Descriptor> => {
    const source = await files.open(name);
    if (source === undefined)
      throw new ImageError("ARCHIVE", `manifest.json names ${name}, which the archive lacks`);
    const digest = await staging.put(source, { limit, what: name });
    return { mediaType, digest, size: (await stat(staging.place(digest))).size, annotations: {} };
  };
  const list: unknown = parse(await files.read("manifest.json"));
  if (!isJsonList(list) || list.length === 0) throw new ImageError("ARCHIVE", "manifest.json names no image");
  const found: FoundImage[] = [];
  for (const item of list) {
    const image = isJsonObject(item) ? item : {};
    const config = await stage(textOf(image, "Config"), mediaTypes.config);
    // Refused here, before gigabytes of layers are read.
    readImageConfig(await staging.read(config.digest), textOf(image, "Config"));
    const layers: Descriptor[] = [];
    for (const name of textList(getOwn(image, "Layers"))) layers.push(await stage(name, mediaTypes.layer));
    const manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: bare(config),
      layers: layers.map(bare),
    };
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = await staging.put(one(bytes), { limit, what: "the manifest" });
    found.push({ manifest: digest, names: textList(getOwn(image, "RepoTags")) });
  }
  return found;
}

function bare({ mediaType, digest, size }: Descriptor): object {
  return { mediaType, digest, size };
}

function parse(bytes: Buffer | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new ImageError("ARCHIVE", "manifest.json is not JSON", { cause: error });
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
