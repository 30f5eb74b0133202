import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Beside the code: the name and checksum of every file, written last. */
export const manifestFile = "manifest.json";

/** The manifest of these files. */
export function manifestOf(files: ReadonlyMap<string, string>): string {
  return JSON.stringify(Object.fromEntries([...files].map(([name, code]) => [name, checksum(code)])));
}

/** Whether a folder has every file of its manifest as it was written, and no other. */
export function isIntact(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, manifestFile), "utf8"));
    const expected = new Map<string, unknown>(Object.entries(manifest ?? {}));
    const names = readdirSync(folder).filter((name) => name !== manifestFile);
    return (
      names.length === expected.size &&
      names.every((name) => expected.get(name) === checksum(readFileSync(join(folder, name))))
    );
  } catch {
    return false;
  }
}

function checksum(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
