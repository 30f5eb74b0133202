import { basename, join } from "node:path";
import { ImageError } from "../image-error.ts";
import { imageNameText, parseImageName } from "../image-name.ts";
import type { ImageRecord } from "../image-record.ts";
import type { OciStore } from "../oci-store.ts";
import { openArchive } from "./archive-files.ts";
import { stageDockerArchive } from "./docker-archive.ts";
import { stageOciLayout } from "./oci-layout.ts";

/**
 * Loads the images of an archive into a store: what `docker save`, `podman save`, `skopeo copy` or `buildah push` write,
 * also compressed, or an OCI layout as a folder. `name` is for an image that has none in the archive, or replaces it.
 */
export async function loadArchive(
  store: OciStore,
  path: string,
  name?: string,
): Promise<readonly ImageRecord[]> {
  const { architecture, limits } = store;
  const wanted = name === undefined ? undefined : imageNameText(parseImageName(name));
  await using staging = await store.stage();
  const temporary = join(staging.folder, "archive.tar");
  await using files = await openArchive(path, { temporary, limit: limits.bytes });
  const limit = limits.bytes;
  const isLayout = await files.has("index.json");
  if (!isLayout && !(await files.has("manifest.json"))) {
    throw new ImageError(
      "ARCHIVE",
      `${path} holds no image: neither manifest.json (docker save) nor index.json (OCI)`,
    );
  }
  // New versions of Docker write both; the OCI one has the manifest as it was built. Names are in the other.
  const found = isLayout
    ? await stageOciLayout(files, staging, { architecture, limit })
    : await stageDockerArchive(files, staging, { limit });
  if (wanted !== undefined && found.length > 1) {
    throw new ImageError(
      "NO_NAME",
      `${path} holds ${found.length} images, which cannot all be named ${wanted}`,
      {
        hint: "Leave --name out, or save one image alone.",
      },
    );
  }
  const taken: ImageRecord[] = [];
  for (const { manifest, names } of found) {
    const own = wanted === undefined ? names.map((each) => imageNameText(parseImageName(each))) : [wanted];
    if (own.length === 0) throw new ImageError("NO_NAME", `${path} does not say what its image is called`);
    const origin = `loaded from ${basename(path)}`;
    taken.push(...(await store.take(staging, { names: own, manifest, from: "archive", origin })));
  }
  return taken;
}
