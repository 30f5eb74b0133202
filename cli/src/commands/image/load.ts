import { realClock } from "@kedge/machinery";
import { loadArchive } from "@kedge/node";
import type { KedgeContext } from "../../context.ts";
import { terminalOn } from "../../terminal/terminal.ts";
import { machineStore } from "./machine-store.ts";

/** The flags of `kedge image load`. */
export interface LoadImageFlags {
  readonly name?: string | undefined;
}

/** Loads an archive, and says what is here now. */
export async function runLoadImage(
  context: KedgeContext,
  flags: LoadImageFlags,
  file: string,
): Promise<void> {
  const terminal = terminalOn(context.process, realClock);
  terminal.waitFor(`loading ${file}`);
  try {
    const loaded = await loadArchive(await machineStore(context), file, flags.name);
    terminal.clear();
    for (const { name, id } of loaded) context.process.stdout.write(`Loaded ${name} (${id})\n`);
    const latest = loaded.find(({ name }) => name.endsWith(":latest"));
    if (latest !== undefined) {
      context.process.stdout.write(
        `Pods that run ${latest.name} must say imagePullPolicy: IfNotPresent: for latest, Kubernetes asks the registry.\n`,
      );
    }
  } finally {
    terminal.clear();
  }
}
