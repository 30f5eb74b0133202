import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import type { PackageCache, UnpackedPackage } from "../debian/package-cache.ts";
import { runProgram } from "@kedge/network/run-program";
import { linkMergedFolders, makeUserFolders, writeBaseFiles, writeScripts } from "./base-files.ts";
import { mergePackage } from "./merge-package.ts";
import type { Recipe } from "./recipe.ts";
import { upstreamVersion } from "./version-tag.ts";

/** What an image is assembled with. */
export interface AssembleOptions {
  readonly cache: PackageCache;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What an image was assembled from. */
export interface Assembled {
  readonly version: string;
  readonly packages: readonly UnpackedPackage[];
}

/** Fetches what a recipe needs. Its version may be newer than the pinned one when that is gone. */
export async function fetchRecipe(recipe: Recipe, options: AssembleOptions): Promise<Assembled> {
  const packages = await options.cache.unpack(recipe.packages, recipe.suite, options.signal);
  return { version: recipeVersion(recipe, (name) => versionOf(packages, name)), packages };
}

/** Writes an image's root file system into an empty folder. */
export async function assemble(
  recipe: Recipe,
  { packages }: Assembled,
  root: string,
  clock: Clock,
): Promise<void> {
  await linkMergedFolders(root);
  for (const { folder } of packages) await mergePackage(folder, root);
  await writeBaseFiles(root, recipe.users);
  await writeScripts(root, recipe.scripts);
  await makeUserFolders(root, recipe.folders, recipe.users);
  await linkApplets(root, clock);
}

/** The version that a recipe's tag has to match. */
export function recipeVersion(recipe: Recipe, versionOfPackage: (name: string) => string): string {
  if ("fixed" in recipe.version) return recipe.version.fixed;
  return upstreamVersion(versionOfPackage(recipe.version.package));
}

function versionOf(packages: readonly UnpackedPackage[], name: string): string {
  return packages.find((candidate) => candidate.name === name)?.version ?? "";
}

/** Busybox is the image's shell and its small programs, where no package brings better ones. */
async function linkApplets(root: string, clock: Clock): Promise<void> {
  const busybox = join(root, "usr/bin/busybox");
  const { stdout } = await runProgram(busybox, ["--list"], { clock });
  for (const applet of stdout.split("\n")) {
    const place = join(root, "usr/bin", applet);
    if (applet === "" || applet === "busybox" || existsSync(place)) continue;
    symlinkSync("busybox", place);
  }
}
