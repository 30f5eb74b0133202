import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type Clock, type Logger } from "@kedge/machinery";
import type { PackageCache } from "../debian/package-cache.ts";
import { debianImages } from "./debian-images.ts";
import { hostSystem, makeHostRoot } from "./host-image.ts";
import { collectImages } from "../oci/collect-images.ts";
import { ImageError } from "../oci/image-error.ts";
import { fullRepository } from "../oci/image-name.ts";
import type { ImageRecord } from "../oci/image-record.ts";
import { openOciStore, type OciStore, type UnpackedImage } from "../oci/oci-store.ts";
import { pullImage } from "../oci/registry/pull-image.ts";
import { createRegistryTransport } from "../oci/registry/registry-transport.ts";
import { openImageFolder, type StoredImage } from "./image-folder.ts";
import { imageNameText, isImageName, parseImageName, type ImageName } from "../oci/image-name.ts";
import type { Recipe } from "./recipe.ts";
import type { ImageStore, ResolveOptions } from "./types.ts";

/** What an image store needs. */
export interface ImageStoreOptions {
  readonly cache: PackageCache;
  /** The OCI store, which any number of nodes may share. Default: `oci` in the cache's folder. */
  readonly folder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Certificates by which registries are known. Default: those that this machine trusts. */
  readonly registryAuthorities?: readonly string[];
  /** Other names for images: `{ "nginx:latest": "kedge.dev/echo:1" }`. Said in the image's origin. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Where the OCI images of a cache lie. */
export function ociFolder(cacheFolder: string): string {
  return join(cacheFolder, "oci");
}

/** No image takes longer. */
const longestPullMs = 3_600_000;

/** Programs of this machine, under any tag. */
const hostRepository = "kedge.dev/host";

/**
 * Images that were loaded or pulled; else those that can be assembled from Debian packages, and the host image; else
 * what registries have.
 */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  const { cache, clock, logger } = options;
  const images = openImageFolder(join(cache.folder, "images"));
  const aliases = readAliases(options.aliases ?? {});
  let opened: Promise<OciStore> | undefined;
  const place = options.folder ?? ociFolder(cache.folder);
  const disk = async (): Promise<{ readonly capacity: number; readonly available: number }> => {
    const { blocks, bavail, bsize } = await statfs(place);
    return { capacity: blocks * bsize, available: bavail * bsize };
  };
  const store = (): Promise<OciStore> => {
    opened ??= clock.track(openOciStore({ folder: place, clock, logger, architecture: cache.architecture }));
    return opened;
  };

  const debian = debianImages({ cache, store, clock, logger });

  const host = async (): Promise<StoredImage> => {
    const system = await hostSystem();
    return await images.make(`host-${system.sum.slice(0, 16)}`, async (folder) => {
      await mkdir(join(folder, "root"));
      const { mounts } = await makeHostRoot(join(folder, "root"));
      return {
        id: `sha256:${system.sum}`,
        origin: `programs of this machine (${system.name}), read-only`,
        layers: ["root"],
        mounts,
        entrypoint: [],
        command: ["/bin/sh"],
        environment: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
        workingDirectory: "/",
        user: "",
      };
    });
  };

  const find = async (name: ImageName, bring: ResolveOptions): Promise<StoredImage> => {
    if (name.repository === hostRepository) return await host();
    const oci = await store();
    const recipe = debian.recipeOf(name);
    const stored = bring.policy === "Always" && recipe === undefined ? undefined : await openNamed(oci, name);
    if (stored !== undefined) return fromStore(stored);
    if (recipe !== undefined)
      return fromStore((await debian.open(recipe)) ?? (await made(recipe, name, bring)));
    if (bring.policy !== "Never") return fromStore(await pulled(oci, name, bring));
    throw new ImageError("NOT_FOUND", `there is no image ${imageNameText(name)} here`);
  };

  const made = async (
    recipe: Recipe,
    name: ImageName,
    { onBring, signal }: ResolveOptions,
  ): Promise<UnpackedImage> => {
    onBring?.();
    return await debian.make(recipe, name, signal);
  };

  /** One of all nodes of this machine pulls an image; the others find it then. */
  const pulled = async (oci: OciStore, name: ImageName, bring: ResolveOptions): Promise<UnpackedImage> => {
    bring.onBring?.();
    const credentials = (await bring.credentials?.()) ?? [];
    using limit = clock.deadline(longestPullMs, bring.signal);
    const { signal } = limit;
    const key = imageNameText(name);
    return await oci.aloneWith(
      key,
      async () => {
        const meanwhile = bring.policy === "Always" ? undefined : await openNamed(oci, name);
        if (meanwhile !== undefined) return meanwhile;
        using transport = createRegistryTransport({ clock, authorities: options.registryAuthorities });
        await pullImage(name, { store: oci, transport, clock, credentials, signal }).catch((error: unknown) =>
          explain(error, name, bring),
        );
        const image = await oci.open(key);
        if (image === undefined)
          throw new ImageError("FAILED", `image ${key} was removed as soon as it was pulled`);
        return image;
      },
      signal,
    );
  };

  /** What Kedge could run instead, and whether the image is here after all. */
  const explain = async (
    error: unknown,
    name: ImageName,
    { policy, signal }: ResolveOptions,
  ): Promise<never> => {
    signal?.throwIfAborted();
    if (!(error instanceof ImageError) || error.code !== "FAILED") throw error;
    const key = imageNameText(name);
    const isHere = policy === "Always" && (await (await store()).read(key)) !== undefined;
    const more = isHere
      ? "it is here already, and imagePullPolicy: IfNotPresent runs it"
      : instead(name, debian.names);
    throw new ImageError("FAILED", `${error.message}; ${more}`, { cause: error });
  };

  return {
    async resolve(name, resolveOptions = {}) {
      const { signal } = resolveOptions;
      const asked = parseImageName(name);
      const alias = aliases.get(imageNameText(asked));
      try {
        const image = await clock.track(find(alias ?? asked, resolveOptions));
        if (alias === undefined) return { ...image, name };
        return { ...image, name, origin: `${imageNameText(alias)} instead, as configured: ${image.origin}` };
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ImageError) throw error;
        const why = messageOf(error);
        throw new ImageError("FAILED", `image ${name} could not be brought: ${why}`, { cause: error });
      }
    },
    async has(name) {
      const wanted = isImageName(name) ? parseImageName(name) : undefined;
      if (wanted === undefined) return false;
      const meant = aliases.get(imageNameText(wanted)) ?? wanted;
      if ((await clock.track(findNamed(await store(), meant))) !== undefined) return true;
      const recipe = debian.recipeOf(meant);
      if (recipe !== undefined) return await clock.track(debian.has(recipe));
      return meant.repository === hostRepository;
    },
    async hold({ stored }, { id, folder }) {
      if (stored === undefined) return true;
      const use = { container: id, image: stored.id, chain: stored.chain, folder };
      return await clock.track((await store()).use(use));
    },
    release: async (container) => await clock.track((await store()).release(container)),
    list: async () => await clock.track((await store()).list()),
    collect: async () => await clock.track(collectImages({ store: await store(), clock, logger, disk })),
  };
}

/** An image of the store, as a pod's container runs it. */
function fromStore({ record, root }: UnpackedImage): StoredImage {
  const { origin, config, id, chain, size } = record;
  return { id: shownId(record), origin, layers: [root], ...config, stored: { id, chain, size } };
}

async function openNamed(oci: OciStore, name: ImageName): Promise<UnpackedImage | undefined> {
  const found = await findNamed(oci, name);
  return found === undefined ? undefined : await oci.open(found);
}

/** The name under which the store has an image. One that is named by its digest may have come under a tag. */
async function findNamed(oci: OciStore, name: ImageName): Promise<string | undefined> {
  const text = imageNameText(name);
  if ((await oci.read(text)) !== undefined) return text;
  if (name.digest === undefined) return undefined;
  const all = await oci.list();
  return all.find((image) => image.repoDigests.includes(text))?.name;
}

/** As Kubernetes shows it: where a registry has the image, or else what it is. */
function shownId({ id, repoDigests: [first] }: ImageRecord): string {
  if (first === undefined) return id;
  const [repository = "", digest = ""] = first.split("@");
  return `${fullRepository(repository)}@${digest}`;
}

function readAliases(aliases: Readonly<Record<string, string>>): ReadonlyMap<string, ImageName> {
  return new Map(
    Object.entries(aliases).map(([from, to]) => [imageNameText(parseImageName(from)), parseImageName(to)]),
  );
}

/** What is here without any registry. */
function instead(name: ImageName, known: readonly string[]): string {
  const text = imageNameText(name);
  return `without a registry Kedge can bring ${known.join(", ")} (or the first parts of these versions) and ${hostRepository}:any; to run one of them under this name: kedge up --image-alias ${text}=kedge.dev/echo:1, for example`;
}
