/**
 * How long clients of a RedisInstance cannot write when its primary is killed, paused, on a lost node or changed on
 * purpose, against Sentinel (three servers and three Sentinels of the same image, down-after 1 s) on the same nodes in
 * the same run. `--kills`, `--pauses`, `--switchovers`, `--node-kills`: how often each happens to both.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../e2e/redis/run.ts", import.meta.url));
const child = spawn(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
  stdio: "inherit",
});
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
