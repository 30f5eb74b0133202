/** Gathers the type imports of one generated file. Paths are relative to `src`. */
export interface Imports {
  /** Makes `name` of `file` usable; a name of the file's own needs no import. Returns the name. */
  add(file: string, name: string): string;
  print(): string;
}

/** The imports of the generated file at `ownFile`, which itself declares the names `declared`. */
export function importsOf(ownFile: string, declared: ReadonlySet<string>): Imports {
  const fileByName = new Map<string, string>();
  return {
    add(file, name) {
      if (file === ownFile) return name;
      if (declared.has(name) || (fileByName.get(name) ?? file) !== file) {
        throw new Error(
          `${ownFile}: ${name} of ${file} clashes with another ${name}: teach the generator to rename`,
        );
      }
      fileByName.set(name, file);
      return name;
    },
    print() {
      const files = [...new Set(fileByName.values())].toSorted();
      return files
        .map((file) => {
          const names = [...fileByName.keys()].filter((name) => fileByName.get(name) === file).toSorted();
          return `import type { ${names.join(", ")} } from "${relativePath(ownFile, file)}";\n`;
        })
        .join("");
    },
  };
}

/** The path of `file` as an import in `ownFile` names it. */
export function relativePath(ownFile: string, file: string): string {
  const from = ownFile.split("/").slice(0, -1);
  const to = file.split("/");
  const firstDifference = to.findIndex((part, index) => part !== from[index]);
  const shared = Math.min(firstDifference, from.length);
  const ups = "../".repeat(from.length - shared);
  return `${ups === "" ? "./" : ups}${to.slice(shared).join("/")}`;
}
