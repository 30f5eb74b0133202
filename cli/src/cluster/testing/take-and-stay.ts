import { rmSync } from "node:fs";
import { realClock } from "@kedge/machinery";
import { clusterFolder } from "../cluster-folder.ts";
import { takeForStart } from "../take-folder.ts";

// For tests: takes a folder, says so or why not, and stays until SIGTERM.
const [, , dir = "", how = ""] = process.argv;
const folder = clusterFolder(dir);
const lock = await takeForStart(folder, dir);
if (lock instanceof Error) {
  process.stdout.write(`${lock.message}\n`);
} else {
  const stop = new AbortController();
  process.on("SIGTERM", () => {
    if (how === "deaf") return;
    if (how === "purge") rmSync(folder.lock);
    stop.abort();
  });
  if (how === "running") lock.setRunning();
  process.stdout.write("taken\n");
  await realClock.sleep(600_000, stop.signal).catch(() => undefined);
}
