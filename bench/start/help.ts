import { spawnSync } from "node:child_process";
import { realClock } from "@kedge/machinery";
import { launcher } from "./launcher.ts";

const turns = 40;

/** The best of each, turn by turn: a busy machine only adds. */
export function measureHelp(): { readonly bare: number; readonly help: number } {
  // The first start makes the bundle, and fills the compile cache.
  timeOf(launcher, ["--help"]);
  let [bare, help] = [Infinity, Infinity];
  for (let turn = 0; turn < turns; turn++) {
    bare = Math.min(bare, timeOf(process.execPath, ["-e", "0"]));
    help = Math.min(help, timeOf(launcher, ["--help"]));
  }
  return { bare, help };
}

function timeOf(program: string, args: readonly string[]): number {
  const start = realClock.monotonic();
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return realClock.monotonic() - start;
}
