import { realClock } from "@kedge/machinery";
import { clusterFolder, dirOption } from "../../cluster/cluster-folder.ts";
import type { KedgeContext } from "../../context.ts";
import { exitCodes } from "../../exit-code.ts";
import { clusterStatus } from "./cluster-status.ts";
import { statusText } from "./status-text.ts";

/** The flags of `kedge status`. */
export interface StatusFlags {
  readonly dir: string;
  readonly output: "text" | "json";
}

/** Prints what runs; exits with 1 when it is not ready. */
export async function runStatus(context: KedgeContext, flags: StatusFlags): Promise<void> {
  const status = await clusterStatus(clusterFolder(flags.dir), realClock);
  const text =
    flags.output === "json"
      ? `${JSON.stringify(status, undefined, 2)}\n`
      : statusText(status, dirOption(flags.dir));
  context.process.stdout.write(text);
  if (!status.ready) context.process.exitCode = exitCodes.failed;
}
