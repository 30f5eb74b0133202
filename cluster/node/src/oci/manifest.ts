import { getOwn, isJsonList } from "@kedge/machinery";
import { mediaTypes, readDescriptor, readJson, textOf, type Descriptor } from "./descriptor.ts";
import { ImageError } from "./image-error.ts";

/** What a manifest or an index says. */
export type ManifestDocument =
  | { readonly kind: "image"; readonly config: Descriptor; readonly layers: readonly Descriptor[] }
  | { readonly kind: "index"; readonly manifests: readonly Descriptor[] };

/** More than any builder makes. */
const mostLayers = 512;

/** Reads a manifest, or an index of them, of OCI or Docker. */
export function readManifest(bytes: Uint8Array, what: string): ManifestDocument {
  const json = readJson(bytes, what);
  const mediaType = textOf(json, "mediaType");
  const manifests = getOwn(json, "manifests");
  const layers = getOwn(json, "layers");
  if (isJsonList(manifests) && mediaType !== mediaTypes.manifest && mediaType !== mediaTypes.dockerManifest) {
    return {
      kind: "index",
      manifests: manifests
        .slice(0, mostLayers)
        .map((item, i) => readDescriptor(item, `${what}: manifests[${i}]`)),
    };
  }
  if (!isJsonList(layers)) {
    throw new ImageError("ARCHIVE", `${what} is no image: it has neither layers nor manifests`, {
      hint: "Images of Docker's first schema are not supported: build or save it with a current program.",
    });
  }
  if (layers.length > mostLayers) throw new ImageError("TOO_LARGE", `${what} has ${layers.length} layers`);
  return {
    kind: "image",
    config: readDescriptor(getOwn(json, "config"), `${what}: config`),
    layers: layers.map((item, i) => readDescriptor(item, `${what}: layers[${i}]`)),
  };
}

/** Chooses this machine's image of several. */
export function forPlatform(
  manifests: readonly Descriptor[],
  architecture: string,
  what: string,
): Descriptor {
  const images = manifests.filter(
    ({ annotations }) => annotations["vnd.docker.reference.type"] === undefined,
  );
  const found =
    images.find(({ platform }) => platform?.os === "linux" && platform.architecture === architecture) ??
    // One alone need not say what it is for; its configuration does.
    (images.length === 1 && images[0]?.platform === undefined ? images[0] : undefined);
  if (found !== undefined) return found;
  const offered = images.map(({ platform }) => `${platform?.os ?? "?"}/${platform?.architecture ?? "?"}`);
  throw new ImageError(
    "PLATFORM",
    `${what} is for ${offered.join(", ") || "nothing"}, this machine is linux/${architecture}`,
  );
}
