import { globSync, mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { builtinModules } from "./builtin-modules.ts";
import { lazyModules } from "./lazy-modules.ts";
import { manifestFile, manifestOf } from "./manifest.ts";

/** Each process of ours, by itself: what two of them share is in both, and none loads what only another needs. */
const programs: readonly (readonly string[])[] = [
  ["cli/src/main.ts"],
  ["cli/src/parts/server.ts", "cluster/*/src/**/*-thread.ts"],
  ["cli/src/parts/node.ts"],
  ["cli/src/parts/nodes.ts"],
  ["cli/src/parts/starter.ts"],
];

/** What stays in node_modules: native code, and what only tests load. */
const external = ["lmdb", /^vitest/u, "rolldown"];

/** Node.js would read and compile each program as CommonJS first, and find out by the failure: 45 ms of a server. */
const modules = ["package.json", JSON.stringify({ type: "module" })] as const;

/** Bundles the programs of a workspace into a folder, which is whole when this returns: all of it is on the disk. */
export async function writeBundle(root: string, folder: string): Promise<void> {
  const files = new Map<string, string>([modules]);
  for (const patterns of programs) {
    for (const [name, code] of await bundle(root, globSync(patterns, { cwd: root }))) {
      if (files.has(name) && files.get(name) !== code) throw new Error(`two programs make the file ${name}`);
      files.set(name, code);
    }
  }
  mkdirSync(folder, { recursive: true });
  const all = [...files, [manifestFile, manifestOf(files)] as const];
  await Promise.all(all.map(([name, code]) => writeFile(join(folder, name), code, { flush: true })));
}

async function bundle(root: string, entries: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((file) => [basename(file, ".ts"), file])),
    platform: "node",
    tsconfig: false,
    resolve: { conditionNames: ["kedge-source", "node", "import", "default"] },
    external,
    plugins: [builtinModules(), lazyModules()],
  });
  const { output } = await build.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Lines stay as they are, for stack traces.
    comments: { legal: false, annotation: false, jsdoc: false },
  });
  await build.close();
  return new Map(output.map((file) => [file.fileName, file.type === "chunk" ? ascii(file.code) : ""]));
}

/** V8 keeps a text in two bytes per character as soon as one of them does not fit into one. */
function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
