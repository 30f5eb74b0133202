import { realClock } from "@kedge/machinery";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const [fewestTurns, mostTurns] = [20, 200];
let folder: string;

/** A copy of launcher and command that has been set up before, with the Node.js that runs this test. */
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "kedge-start-")));
  const [cache, modules] = [join(folder, "cache"), join(folder, "node_modules")];
  const runtime = `${process.platform}-${process.arch} 24`;
  await mkdir(cache);
  await mkdir(modules);
  for (const part of ["kedge", "package.json", "package-lock.json", "cli/package.json", "cli/src"]) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, "node_modules/@stricli"), join(modules, "@stricli"));
  await cp(join(root, "package-lock.json"), join(modules, ".kedge-lock.json"));
  await writeFile(join(modules, ".kedge-runtime"), `${runtime}\n`);
  await writeFile(join(cache, "node"), `${process.execPath}\n${runtime}\n`);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

it("takes at most twice as long as a bare Node.js for its help", () => {
  // The first start fills the compile cache. Then both take turns, and the best of each counts, because a busy machine
  // only adds. The busier it is, the more turns that takes.
  timeOf(join(folder, "kedge"), ["--help"]);
  let [bare, kedge] = [Infinity, Infinity];
  for (let turn = 0; turn < mostTurns && (turn < fewestTurns || kedge > 2 * bare); turn += 1) {
    bare = Math.min(bare, timeOf(process.execPath, ["-e", "0"]));
    kedge = Math.min(kedge, timeOf(join(folder, "kedge"), ["--help"]));
  }
  expect(kedge).toBeLessThan(2 * bare);
});

function timeOf(program: string, args: readonly string[]): number {
  const start = realClock.monotonic();
  const { status, stderr } = spawnSync(program, args, {
    env: { PATH: process.env["PATH"], KEDGE_CACHE: join(folder, "cache") },
    encoding: "utf8",
  });
  const ms = realClock.monotonic() - start;
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return ms;
}
