/**
 * The embedded cluster under churn while its parts are killed every 20 s: no peer, but figures that must be zero. The
 * same runs for half a minute in `./kedge test`. Minutes: the first argument, 15 unless given.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../e2e/soak/run.ts", import.meta.url));
const child = spawn(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
  stdio: "inherit",
});
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
