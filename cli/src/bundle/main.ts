import { resolve } from "node:path";
import { refreshBundle } from "./refresh-bundle.ts";

// Started by the launcher when a source is newer than the bundle. Says on standard error what takes a moment, and why it
// failed: the launcher then runs the sources.
const root = resolve(import.meta.dirname, "../../..");
try {
  await refreshBundle({ root, onBuild: () => process.stderr.write("kedge: bundling the sources\n") });
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`kedge: the sources could not be bundled: ${why.trim()}\n`);
  process.exitCode = 1;
}
