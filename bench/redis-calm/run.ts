/**
 * Three RedisInstances under a steady load while both cores are busy and nothing breaks: no peer, but figures that must be
 * zero. Minutes: the first argument, 60 unless given.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../e2e/redis/run-calm.ts", import.meta.url));
const child = spawn(process.execPath, [...process.execArgv, program, ...process.argv.slice(2)], {
  stdio: "inherit",
});
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
