import { realClock } from "@kedge/machinery";
import { clusterFolder } from "../cluster/cluster-folder.ts";
import { folderProblem } from "../cluster/folder-problem.ts";
import { tellStarter } from "../cluster/part-messages.ts";
import { remoteSupervisor } from "../cluster/remote-supervisor.ts";
import { startCluster } from "../commands/up/start-cluster.ts";
import { parseStarterOptions } from "../commands/up/starter-options.ts";
import { workspace } from "../programs.ts";
import { terminalOn } from "../terminal/terminal.ts";
import { messageOf } from "../text.ts";

// Carries out a start and ends: what that takes, from certificates to the kinds of the operators, does not stay in the
// memory of the supervisor, which has started it and launches the parts for it.
const { flags, background } = parseStarterOptions(process.argv[2] ?? "");
const folder = clusterFolder(flags.dir);
const clock = realClock;
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// oxlint-disable-next-line unicorn/no-process-exit
process.on("disconnect", () => process.exit(1));

const context = {
  process: { stdout: process.stdout, stderr: process.stderr, env: process.env, exitCode: null },
  root: workspace,
};
const terminal = terminalOn(context.process, clock);
try {
  await startCluster({ context, flags, folder, terminal, clock, background, supervisor: remoteSupervisor() });
  tellStarter({ type: "ready" });
} catch (error) {
  terminal.clear();
  tellStarter({ type: "failed", why: messageOf(folderProblem(error, folder)) });
}
process.removeAllListeners("disconnect");
process.disconnect();
