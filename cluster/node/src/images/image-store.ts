import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type Clock, type Logger } from "@kedge/machinery";
import type { PackageCache } from "../debian/package-cache.ts";
import { assemble, fetchRecipe, recipeVersion, type Assembled } from "./assemble.ts";
import { hostSystem, makeHostRoot } from "./host-image.ts";
import { ImageError } from "../oci/image-error.ts";
import { fullRepository } from "../oci/image-name.ts";
import type { ImageRecord } from "../oci/image-record.ts";
import { openOciStore, type OciStore, type UnpackedImage } from "../oci/oci-store.ts";
import { openImageFolder, type StoredImage } from "./image-folder.ts";
import { imageNameText, isImageName, parseImageName, type ImageName } from "../oci/image-name.ts";
import type { Recipe } from "./recipe.ts";
import { recipes } from "./recipes.ts";
import type { ImageStore } from "./types.ts";
import { tagMatches } from "./version-tag.ts";

/** What an image store needs. */
export interface ImageStoreOptions {
  readonly cache: PackageCache;
  /** The OCI store, which any number of nodes may share. Default: `oci` in the cache's folder. */
  readonly folder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Other names for images: `{ "nginx:latest": "kedge.dev/echo:1" }`. Said in the image's origin. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Where the OCI images of a cache lie. */
export function ociFolder(cacheFolder: string): string {
  return join(cacheFolder, "oci");
}

/** Programs of this machine, under any tag. */
const hostRepository = "kedge.dev/host";

/** Images that were loaded, then those that can be assembled from Debian packages, and the host image. */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  const { cache, clock, logger } = options;
  const images = openImageFolder(join(cache.folder, "images"));
  const aliases = readAliases(options.aliases ?? {});
  const working = new Map<string, Promise<StoredImage>>();
  let opened: Promise<OciStore> | undefined;
  const store = (): Promise<OciStore> => {
    const { folder = ociFolder(cache.folder) } = options;
    opened ??= clock.track(openOciStore({ folder, clock, logger, architecture: cache.architecture }));
    return opened;
  };

  const pinned = (recipe: Recipe): string =>
    recipeVersion(recipe, (name) => cache.pinnedVersion(name, recipe.suite) ?? "");

  const findRecipe = (name: ImageName): Recipe | undefined =>
    recipes.find(
      (recipe) =>
        recipe.repository === name.repository &&
        (name.tag === "latest" ? recipe.latest === true : tagMatches(name.tag, pinned(recipe), recipe.suite)),
    );

  const assembled = async (recipe: Recipe, name: ImageName, signal?: AbortSignal): Promise<StoredImage> =>
    await images.make(recipeKey(recipe, cache), async (folder) => {
      const made = await fetchRecipe(recipe, { cache, clock, signal });
      if (name.tag !== "latest" && !tagMatches(name.tag, made.version, recipe.suite)) {
        throw new ImageError(
          "NOT_FOUND",
          `image ${imageNameText(name)}: ${recipe.suite} has moved on to version ${made.version}`,
        );
      }
      const root = join(folder, "root");
      await mkdir(root);
      await assemble(recipe, made, root, clock);
      logger.info("Assembled image", { image: imageNameText(name), version: made.version });
      return storedFrom(recipe, made);
    });

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

  const find = async (name: ImageName, signal?: AbortSignal): Promise<StoredImage> => {
    if (name.repository === hostRepository) return await host();
    const stored = await (await store()).open(imageNameText(name));
    if (stored !== undefined) return fromStore(stored);
    const recipe = findRecipe(name);
    if (recipe === undefined) throw new ImageError("NOT_FOUND", notFound(name, pinned));
    return await assembled(recipe, name, signal);
  };

  const share = (name: ImageName, signal?: AbortSignal): Promise<StoredImage> => {
    const key = imageNameText(name);
    const running = working.get(key);
    if (running !== undefined) return running;
    const work = clock.track(find(name, signal)).finally(() => working.delete(key));
    working.set(key, work);
    return work;
  };

  return {
    async resolve(name, { signal } = {}) {
      const asked = parseImageName(name);
      const alias = aliases.get(imageNameText(asked));
      try {
        const image = await share(alias ?? asked, signal);
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
      if ((await clock.track((await store()).read(imageNameText(meant)))) !== undefined) return true;
      const recipe = findRecipe(meant);
      if (recipe !== undefined) return images.has(recipeKey(recipe, cache));
      return meant.repository === hostRepository;
    },
    async hold({ stored }, { id, folder }) {
      if (stored === undefined) return true;
      const use = { container: id, image: stored.id, chain: stored.chain, folder };
      return await clock.track((await store()).use(use));
    },
    release: async (container) => await clock.track((await store()).release(container)),
    list: async () => await clock.track((await store()).list()),
  };
}

/** An image of the store, as a pod's container runs it. */
function fromStore({ record, root }: UnpackedImage): StoredImage {
  const { origin, config, id, chain } = record;
  return { id: shownId(record), origin, layers: [root], ...config, stored: { id, chain } };
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

/** Changes with anything that goes into the image. */
function recipeKey(recipe: Recipe, cache: PackageCache): string {
  const versions = recipe.packages.map((name) => cache.pinnedVersion(name, recipe.suite));
  return `${recipe.repository.replaceAll("/", "-")}-${sum([recipe, versions, cache.architecture]).slice(0, 16)}`;
}

function storedFrom(recipe: Recipe, { version, packages }: Assembled): StoredImage {
  const main = "package" in recipe.version ? recipe.version.package : recipe.packages[0];
  const first = packages.find(({ name }) => name === main);
  const { entrypoint, command, environment, workingDirectory, user } = recipe;
  return {
    id: `sha256:${sum([recipe, packages.map((unpacked) => [unpacked.name, unpacked.version])])}`,
    origin: `assembled from Debian's ${first?.name} ${first?.version} (${recipe.suite})`,
    layers: ["root"],
    entrypoint,
    command,
    environment:
      "package" in recipe.version ? { ...environment, ...versionVariable(recipe, version) } : environment,
    workingDirectory,
    user,
  };
}

/** The official images name their version too: `REDIS_VERSION`. */
function versionVariable(recipe: Recipe, version: string): Readonly<Record<string, string>> {
  const program = recipe.repository.split("/").at(-1)?.toUpperCase() ?? "";
  return { [`${program}_VERSION`]: version };
}

function notFound(name: ImageName, version: (recipe: Recipe) => string): string {
  const known = recipes.map((recipe) => `${recipe.repository}:${version(recipe)}`);
  const text = imageNameText(name);
  return `there is no image ${text} here: Kedge can bring ${known.join(", ")} (or the first parts of these versions) and ${hostRepository}:any; to run another one under this name: kedge up --image-alias ${text}=kedge.dev/echo:1, for example`;
}

function sum(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
