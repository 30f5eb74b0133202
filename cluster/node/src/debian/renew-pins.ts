import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realClock } from "@kedge/machinery";
import type { Architecture } from "./architecture.ts";
import { readPackageIndex } from "./package-index.ts";
import { listSuites, packageLists, type Suite } from "./package-lists.ts";

/**
 * Writes `pin-table.ts` anew from Debian's signed indexes as they are now:
 * `node --conditions=kedge-source cluster/node/src/debian/renew-pins.ts`. Run the tests of `e2e/node` afterwards.
 */
async function renewPins(): Promise<void> {
  const lines: string[] = [];
  for (const [suite, names] of namesBySuite()) {
    for (const architecture of ["amd64", "arm64"] as const) {
      lines.push(...(await pinLines(suite, architecture, names)));
    }
  }
  const head = [
    "/**",
    " * Written by renew-pins.ts. Suite, architecture, package, version, path on a mirror, bytes, SHA-256: one package in",
    " * a line.",
    " */",
  ].join("\n");
  const text = `${head}\nexport const pinTable = \`\n${lines.join("\n")}\n\`;\n`;
  await writeFile(join(import.meta.dirname, "pin-table.ts"), text);
}

function namesBySuite(): ReadonlyMap<Suite, readonly string[]> {
  const names = new Map<Suite, string[]>();
  for (const [list, packages] of Object.entries(packageLists)) {
    const suites = Object.entries(listSuites).find(([name]) => name === list)?.[1] ?? [];
    for (const suite of suites) names.set(suite, [...(names.get(suite) ?? []), ...packages]);
  }
  return new Map([...names].map(([suite, all]) => [suite, [...new Set(all)].toSorted()]));
}

async function pinLines(
  suite: Suite,
  architecture: Architecture,
  names: readonly string[],
): Promise<readonly string[]> {
  const index = await readPackageIndex({
    mirror: "https://deb.debian.org/debian",
    suite,
    architecture,
    clock: realClock,
    path: "/usr/bin",
  });
  return names.map((name) => {
    const found = index.find(name);
    if (found === undefined) throw new Error(`${suite} has no package ${name} for ${architecture}`);
    return [suite, architecture, name, found.version, found.path, found.size, found.sha256].join(" ");
  });
}

if (import.meta.main) await renewPins();
