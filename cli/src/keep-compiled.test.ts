import { spawn } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { keepCompiled } from "./keep-compiled.ts";

it("leaves what was compiled to the next start, whatever becomes of this process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-compiled-"));
  const program = `
    import { keepCompiled } from ${JSON.stringify(resolve(import.meta.dirname, "keep-compiled.ts"))};
    keepCompiled({ timer: (ms, run) => setTimeout(run, 0) });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: "ignore",
    env: { ...process.env, NODE_COMPILE_CACHE: folder },
  });
  try {
    const written = (): readonly string[] => globSync("*/*", { cwd: folder });
    await expect.poll(written).not.toEqual([]);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});

it("keeps nothing waiting that has ended before", () => {
  const clock = new VirtualClock();
  keepCompiled(clock)[Symbol.dispose]();
  expect(clock.pending().timers).toBe(0);
});
