import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { remainsIn } from "./testing/remains.ts";
import { tempFolder } from "./testing/temp-folder.ts";
import { until } from "./wait.ts";

/** Runs a program that starts an oracle, with a folder for temporary files that is empty but for what is left. */
async function runOracle(way: "throw" | "wait") {
  const folder = await tempFolder();
  const program = join(import.meta.dirname, "testing/run-oracle.ts");
  const child = spawn(process.execPath, ["--conditions=kedge-source", program, way], {
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  return { folder, child, ended, pids: await firstLine(child) };
}

async function firstLine(child: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  const [chunk] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return chunk;
}

it("leaves nothing behind when the test throws", async () => {
  const { folder, ended, pids } = await runOracle("throw");
  expect(JSON.parse(pids)).toHaveLength(2);
  expect(await ended).toEqual([1, null]);
  await expect.poll(() => remainsIn(folder)).toEqual([]);
});

it("leaves nothing behind when the test is killed", async () => {
  const { folder, child, ended, pids } = await runOracle("wait");
  const running = await remainsIn(folder);
  for (const pid of JSON.parse(pids) as number[]) expect(running.join("\n")).toContain(`process ${pid}:`);
  child.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
  await expect.poll(() => remainsIn(folder)).toEqual([]);
});

it.each(["etcd.log", "ca.key", "kube-apiserver.log"])(
  "leaves nothing behind when it is killed while starting: at %s",
  async (file) => {
    const folder = await tempFolder();
    const program = join(import.meta.dirname, "testing/run-oracle.ts");
    const child = spawn(process.execPath, ["--conditions=kedge-source", program, "wait"], {
      env: { ...process.env, NODE_OPTIONS: "", TMPDIR: folder },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    await until(`${file} is there`, async () => {
      const files = await readdir(folder, { recursive: true });
      return files.some((path) => path.endsWith(file));
    });
    child.kill("SIGKILL");
    await ended;
    await expect.poll(() => remainsIn(folder)).toEqual([]);
  },
);
