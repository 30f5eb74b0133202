import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { parseArgs } from "node:util";
import { loadApiDefinition } from "./api-definition.ts";
import { downloadKubernetesSource } from "./kubernetes-source.ts";
import { printKinds } from "./print-kinds.ts";

/** Names the files below `directory` that differ from `files`, missing and left-over ones included, sorted. */
export async function differences(
  directory: string,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const present = await generatedFiles(directory);
  const paths = [...new Set([...present, ...files.keys()])].toSorted();
  const differs = await Promise.all(
    paths.map(
      async (path) =>
        !present.includes(path) || (await readFile(join(directory, path), "utf8")) !== files.get(path),
    ),
  );
  return paths.filter((_, index) => differs[index]);
}

/** Makes the files below `directory` be `files`, left-over ones removed. Names those that changed. */
export async function writeKinds(
  directory: string,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const changed = await differences(directory, files);
  await Promise.all(
    changed.map(async (path) => {
      const text = files.get(path);
      if (text === undefined) return rm(join(directory, path));
      await mkdir(dirname(join(directory, path)), { recursive: true });
      return writeFile(join(directory, path), text);
    }),
  );
  return changed;
}

async function generatedFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true });
  return entries.filter((path) => path.endsWith(".ts")).map((path) => path.replaceAll(sep, "/"));
}

const usage = `usage: node packages/machinery/tools/generate-kinds.ts [--check] [--source DIR]
  --check       write nothing; exit 1 when a committed file differs
  --source DIR  a Kubernetes source tree, instead of the Go module that is fetched otherwise
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: "boolean" }, source: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const definition = await loadApiDefinition(values.source ?? (await downloadKubernetesSource()));
  const files = printKinds(definition);
  const directory = join(import.meta.dirname, "../src/kinds");
  if (values.check !== true) {
    const written = await writeKinds(directory, files);
    process.stdout.write(`src/kinds: ${files.size} files, ${written.length} changed\n`);
    return;
  }
  const stale = await differences(directory, files);
  if (stale.length === 0) return;
  process.exitCode = 1;
  for (const path of stale) {
    process.stderr.write(`src/kinds/${path}: differs from what the API definition gives\n`);
  }
  process.stderr.write("run: node packages/machinery/tools/generate-kinds.ts\n");
}

if (import.meta.main) await main();
