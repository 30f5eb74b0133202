import { createHash } from "node:crypto";
import { hasCode, type Clock, type Logger } from "@kedge/machinery";
import type { PackageCache } from "../debian/package-cache.ts";
import { ImageError } from "../oci/image-error.ts";
import { imageNameText, type ImageName } from "../oci/image-name.ts";
import type { OciStore, UnpackedImage } from "../oci/oci-store.ts";
import { fetchRecipe, recipeVersion, type Assembled } from "./assemble.ts";
import { makeDebianImage } from "./debian-image.ts";
import type { Recipe } from "./recipe.ts";
import { recipes } from "./recipes.ts";
import { tagMatches } from "./version-tag.ts";

/** Images that are assembled from Debian packages. */
export interface DebianImages {
  /** The recipe that a name means; undefined: none. */
  recipeOf(name: ImageName): Recipe | undefined;
  /** Undefined: it is not made yet. */
  open(recipe: Recipe): Promise<UnpackedImage | undefined>;
  has(recipe: Recipe): Promise<boolean>;
  /** Makes it; one of all nodes of this machine does. */
  make(recipe: Recipe, name: ImageName, signal?: AbortSignal): Promise<UnpackedImage>;
  /** `redis:7.0.15` and so on. */
  readonly names: readonly string[];
}

/** What they are made with. */
export interface DebianImagesOptions {
  readonly cache: PackageCache;
  readonly store: () => Promise<OciStore>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens them. They are images of the store under names of their own, which change with anything that goes into them. */
export function debianImages({ cache, store, clock, logger }: DebianImagesOptions): DebianImages {
  const pinned = (recipe: Recipe): string =>
    recipeVersion(recipe, (name) => cache.pinnedVersion(name, recipe.suite) ?? "");

  const keptAs = (recipe: Recipe): string => {
    const versions = recipe.packages.map((name) => cache.pinnedVersion(name, recipe.suite));
    const key = createHash("sha256")
      .update(JSON.stringify([recipe, versions, cache.architecture]))
      .digest("hex");
    const repository = `kedge.dev/debian/${recipe.repository.replaceAll("/", "-")}`;
    return `${repository}:${pinned(recipe)}-${recipe.suite}-${key.slice(0, 8)}`;
  };

  const make = async (recipe: Recipe, name: ImageName, signal?: AbortSignal): Promise<void> => {
    const made = await fetchRecipe(recipe, { cache, clock, signal });
    if (name.tag !== "latest" && !tagMatches(name.tag, made.version, recipe.suite)) {
      throw new ImageError(
        "NOT_FOUND",
        `image ${imageNameText(name)}: ${recipe.suite} has moved on to version ${made.version}`,
      );
    }
    const oci = await store();
    await using staging = await oci.stage({ durable: false });
    const environment = { ...recipe.environment, ...versionVariable(recipe, made.version) };
    const { architecture } = cache;
    const image = await makeDebianImage(recipe, made, { staging, clock, architecture, environment });
    const { manifest, root, bytes } = image;
    const unpacked = { root, bytes };
    const names = [keptAs(recipe)];
    await oci.take(staging, { names, manifest, from: "packages", origin: originOf(recipe, made), unpacked });
    logger.info("Assembled image", { image: imageNameText(name), version: made.version });
  };

  /** Layers that were lost with the machine's power are made again. */
  const openMade = async (recipe: Recipe): Promise<UnpackedImage | undefined> => {
    try {
      return await (await store()).open(keptAs(recipe));
    } catch (error) {
      if (!(error instanceof ImageError) && !hasCode(error, "ENOENT")) throw error;
      logger.warn("An image is damaged and is made again", { image: keptAs(recipe), error });
      return undefined;
    }
  };

  return {
    names: recipes.map((recipe) => `${recipe.repository}:${pinned(recipe)}`),
    recipeOf: (name) =>
      recipes.find(
        (recipe) =>
          name.digest === undefined &&
          recipe.repository === name.repository &&
          (name.tag === "latest"
            ? recipe.latest === true
            : tagMatches(name.tag, pinned(recipe), recipe.suite)),
      ),
    open: openMade,
    has: async (recipe) => (await (await store()).read(keptAs(recipe))) !== undefined,
    async make(recipe, name, signal) {
      const oci = await store();
      const key = keptAs(recipe);
      return await oci.aloneWith(
        key,
        async () => {
          const meanwhile = await openMade(recipe);
          if (meanwhile !== undefined) return meanwhile;
          await make(recipe, name, signal);
          const found = await oci.open(key);
          if (found === undefined) throw new Error(`${key} was removed as soon as it was made`);
          return found;
        },
        signal,
      );
    },
  };
}

function originOf(recipe: Recipe, { packages }: Assembled): string {
  const main = "package" in recipe.version ? recipe.version.package : recipe.packages[0];
  const first = packages.find(({ name }) => name === main);
  return `assembled from Debian's ${first?.name} ${first?.version} (${recipe.suite})`;
}

/** The official images name their version too: `REDIS_VERSION`. */
function versionVariable(recipe: Recipe, version: string): Readonly<Record<string, string>> {
  if (!("package" in recipe.version)) return {};
  const program = recipe.repository.split("/").at(-1)?.toUpperCase() ?? "";
  return { [`${program}_VERSION`]: version };
}
