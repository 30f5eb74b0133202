import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a bundle is made of, besides the dependencies: the lock file stands for those. The launcher looks at the same. */
const sources = [
  "{packages,cluster,operators}/*/src/**/*.ts",
  "{packages,cluster,operators}/*/package.json",
  "cli/src/**/*.ts",
  "cli/package.json",
  "package-lock.json",
];

/** A checksum of the sources: equal exactly when a bundle of them would be. */
export function sourceKey(root: string): string {
  const hash = createHash("sha256");
  const files = globSync(sources, { cwd: root }).filter((file) => !/\.test\.ts$|\/testing\//u.test(file));
  for (const file of files.toSorted()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 16);
}
