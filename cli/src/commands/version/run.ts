import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KedgeContext } from "../../context.ts";

/** Flags of `kedge version`. */
export interface VersionFlags {
  readonly output: "text" | "json";
}

/** Prints the version of Kedge and of what it runs on. */
export function printVersion(context: KedgeContext, flags: VersionFlags): void {
  const { version: node, platform, arch } = process;
  const facts = {
    kedge: versionIn(join(context.root, "cli/package.json")),
    node,
    platform: `${platform}-${arch}`,
  };
  context.process.stdout.write(
    flags.output === "json"
      ? `${JSON.stringify(facts)}\n`
      : `kedge ${facts.kedge} (Node.js ${facts.node}, ${facts.platform})\n`,
  );
}

function versionIn(file: string): string {
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) {
    throw new Error(`${file} has no version: restore it with \`git checkout ${file}\``);
  }
  return String(manifest.version);
}
