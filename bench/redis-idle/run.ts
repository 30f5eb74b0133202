/**
 * What an operator and its servers are asked while nothing happens: 20 RedisInstances in containers, and 1,000 simulated
 * ones. No peer, but what the operator writes and lists must be nothing. Minutes: the first argument, 10 unless given.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../e2e/redis/run-idle.ts", import.meta.url));
const child = spawn(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
  stdio: "inherit",
});
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
