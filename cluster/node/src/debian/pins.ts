import type { Architecture } from "./architecture.ts";
import type { IndexedPackage } from "./control-stanza.ts";
import type { Suite } from "./package-lists.ts";
import { pinTable } from "./pin-table.ts";

/** The version and file of a package that Kedge is tested with. */
export function pinOf(name: string, suite: Suite, architecture: Architecture): IndexedPackage | undefined {
  const start = `${suite} ${architecture} ${name} `;
  const line = pinTable.split("\n").find((candidate) => candidate.startsWith(start));
  const [version, path, size, sha256] = line?.slice(start.length).split(" ") ?? [];
  if (version === undefined || path === undefined || sha256 === undefined) return undefined;
  return { name, version, path, sha256, size: Number(size) };
}
