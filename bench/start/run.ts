/**
 * `kedge --help` by its launcher against a Node.js that does nothing, turn by turn. The best of each counts: a busy
 * machine only adds.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { realClock } from "@kedge/machinery";

const kedge = fileURLToPath(new URL("../../kedge", import.meta.url));
const turns = 40;

// The first start fills the compile cache.
timeOf(kedge, ["--help"]);
let [bare, help] = [Infinity, Infinity];
for (let turn = 0; turn < turns; turn++) {
  bare = Math.min(bare, timeOf(process.execPath, ["-e", "0"]));
  help = Math.min(help, timeOf(kedge, ["--help"]));
}
process.stdout.write(
  `node -e 0     ${bare.toFixed(1)} ms (×1.00)\nkedge --help  ${help.toFixed(1)} ms (×${(help / bare).toFixed(2)})\n`,
);

function timeOf(program: string, args: readonly string[]): number {
  const start = realClock.monotonic();
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return realClock.monotonic() - start;
}
