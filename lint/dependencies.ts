import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { isTest } from "./rooms.ts";

/** What the dependencies in a package.json have to do with the imports of the package. */
export interface DependencyProblems {
  /** Declared, and imported by nothing but tests, or by nothing at all. */
  readonly unused: readonly string[];
  /** Imported by sources, and not declared. */
  readonly undeclared: readonly string[];
}

/** Compares the dependencies that a package declares with what its sources import. Tests may use those of the root. */
export function dependencyProblems(folder: string, root: string): DependencyProblems {
  const own = manifestOf(folder);
  const { source, tests } = importsOf(folder);
  const everywhere = new Set([...tests, ...source]);
  const forTests = new Set([...own.declared, ...own.development, ...manifestOf(root).development]);
  // A package that nobody installs from a registry runs in the workspace, where what it is developed with is there.
  const forSource = own.isPrivate ? new Set([...own.declared, ...own.development]) : own.declared;
  const missing = [
    ...[...source].filter((name) => !forSource.has(name)),
    ...[...tests].filter((name) => !forTests.has(name)),
  ];
  return {
    unused: [
      ...[...own.declared].filter((name) => !source.has(name)),
      ...[...own.development].filter((name) => !everywhere.has(name)),
    ],
    undeclared: [...new Set(missing)].filter((name) => name !== own.name),
  };
}

/** The names of the packages that a package's sources import, and those that its tests do. */
export function importsOf(folder: string): {
  readonly source: ReadonlySet<string>;
  readonly tests: ReadonlySet<string>;
} {
  const found = { source: new Set<string>(), tests: new Set<string>() };
  for (const file of sourcesOf(folder)) {
    const isForTests = isTest(`/${file.split(sep).join("/")}`) || file.startsWith(`tools${sep}`);
    const names = isForTests ? found.tests : found.source;
    const code = readFileSync(join(folder, file), "utf8").replaceAll(/\/\*.*?\*\//gsu, "");
    for (const [, named, specifier = named ?? ""] of code.matchAll(importPattern)) {
      const [first = "", second = ""] = specifier.split("/");
      if (!specifier.startsWith("node:")) names.add(first.startsWith("@") ? `${first}/${second}` : first);
    }
  }
  return found;
}

/** `import … from "name"` at the start of a line, over several lines too, `export … from "name"`, and `import("name")`. */
const importPattern =
  /^(?:import|export)(?:[^"'`;=()]*\bfrom)?\s*["']((?:@[\w-]+\/)?[\w-][\w./-]*)["']|\bimport\(\s*["']((?:@[\w-]+\/)?[\w-][\w./-]*)["']/gmu;

function sourcesOf(folder: string): readonly string[] {
  const top = readdirSync(folder).filter((name) => ["src", "tools"].includes(name));
  return top.flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(name, file)),
  );
}

interface Manifest {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly declared: ReadonlySet<string>;
  readonly development: ReadonlySet<string>;
}

function manifestOf(folder: string): Manifest {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const fields = new Map<string, unknown>(Object.entries(manifest ?? {}));
  const names = (field: string): readonly string[] => Object.keys(fields.get(field) ?? {});
  return {
    name: String(fields.get("name")),
    isPrivate: fields.get("private") === true,
    declared: new Set([...names("dependencies"), ...names("peerDependencies")]),
    development: new Set(names("devDependencies").filter((name) => !name.startsWith("@types/"))),
  };
}
