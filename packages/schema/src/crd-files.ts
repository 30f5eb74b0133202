import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crdYaml } from "./crd.ts";
import type { DefinedKind } from "./kind-definition.ts";

/** The files of a folder of CRDs, by name: `<group>_<plural>.yaml`, as controller-gen names them. */
export function crdFiles(kinds: readonly DefinedKind[]): ReadonlyMap<string, string> {
  return new Map(kinds.map((kind) => [`${kind.group}_${kind.plural}.yaml`, crdYaml(kind)]));
}

/** Writes the CRDs of these kinds into a folder, which is made when it is missing. Gives the paths. */
export async function writeCrds(folder: string, kinds: readonly DefinedKind[]): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    [...crdFiles(kinds)].map(async ([name, text]) => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    }),
  );
}
