import { createReadStream, existsSync, statSync } from "node:fs";
import { readSnapshot } from "@kedge/store";
import type { KedgeContext } from "../../context.ts";
import type { SnapshotStatusFlags } from "./flags.ts";
import { summaryText } from "./summary-text.ts";

/** Checks a snapshot, and says what it is. */
export async function runSnapshotStatus(
  context: KedgeContext,
  flags: SnapshotStatusFlags,
  file: string,
): Promise<Error | void> {
  if (!existsSync(file)) return new Error(`there is no file ${file}.`);
  const summary = await readSnapshot(createReadStream(file));
  const text =
    flags.output === "json"
      ? JSON.stringify({ ...summary, bytes: statSync(file).size }, undefined, 2)
      : summaryText(summary);
  context.process.stdout.write(`${text}\n`);
}
