import { extname, join, resolve } from "node:path";

// From source, programs are where they were written; from a bundle, all of its files are in one folder of node_modules
// (docs/decisions/0009-users-run-a-bundle.md).
const here = import.meta.dirname;
const bundled = extname(import.meta.filename) === ".js";

/** Absolute path of the workspace that this program is of. */
export const workspace = resolve(here, bundled ? "../../../.." : "../..");

/** The kedge command itself, for who starts it again. */
export const mainProgram = bundled ? join(here, "main.js") : join(here, "main.ts");

/** The program of a part of the cluster, from the same sources as this one. */
export function partProgram(part: "server" | "node" | "nodes" | "starter"): string {
  return bundled ? join(here, `${part}.js`) : join(here, "parts", `${part}.ts`);
}
