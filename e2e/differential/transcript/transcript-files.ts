import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { yamlNamesIn } from "../script/load-scripts.ts";

const folder = join(import.meta.dirname, "../transcripts");

/** The text that is recorded for a script. */
function readTranscript(name: string): string | undefined {
  const file = fileOf(name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The same, where there has to be one. */
export function requireTranscript(name: string): string {
  const text = readTranscript(name);
  if (text !== undefined) return text;
  throw new Error(
    `nothing is recorded for ${name}: run node --conditions=kedge-source e2e/differential/record.ts ${name}`,
  );
}

/** Says whether anything changed. */
export async function writeTranscript(name: string, text: string): Promise<"new" | "changed" | "unchanged"> {
  const before = readTranscript(name);
  if (before === text) return "unchanged";
  await mkdir(dirname(fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), text);
  return before === undefined ? "new" : "changed";
}

/** The names of the scripts that something is recorded for. */
export function transcriptNames(): Promise<readonly string[]> {
  return yamlNamesIn(folder);
}

/** Removes what was recorded for a script. */
export function removeTranscript(name: string): Promise<void> {
  return rm(fileOf(name));
}

function fileOf(name: string): string {
  return join(folder, `${name}.yaml`);
}
