import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";

/** What becomes of a process with a part that does this once it runs: its exit code, and what it said. */
function runsPart(what: string): Promise<{ readonly code: unknown; readonly said: string }> {
  const part = JSON.stringify(resolve(import.meta.dirname, "part.ts"));
  const program = `
    import { runPart } from ${part};
    import { realClock as clock, silentLogger } from "@kedge/machinery";
    const logger = { ...silentLogger, error: (message) => console.log(message) };
    const stop = async () => console.log("stopped");
    await runPart({ clock, logger, start: async () => {
      setTimeout(() => { ${what} }, 1);
      setTimeout(() => process.kill(process.pid, "SIGTERM"), 500);
      return { work: [new Promise(() => undefined)], stop };
    } });
    process.exit();`;
  const args = ["--conditions=kedge-source", "--input-type=module", "-e", program];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: import.meta.dirname }, (error, stdout) => {
      done({ code: error?.code ?? 0, said: stdout.trim() });
    });
  });
}

it("goes on when something fails that nobody waited for, and says so", async () => {
  const { code, said } = await runsPart('Promise.reject(new Error("a stranger has gone"))');
  expect(said).toBe("Something failed that nobody waited for\nstopped");
  expect(code).toBe(0);
});

it("goes on when its log cannot be written: the disk is full", async () => {
  const { code, said } = await runsPart('process.stderr.emit("error", new Error("ENOSPC"))');
  expect({ code, said }).toEqual({ code: 0, said: "stopped" });
});

it("ends when an exception comes that nobody caught", async () => {
  const { code, said } = await runsPart('throw new Error("no")');
  expect({ code, said }).toEqual({ code: 1, said: "This part of the cluster failed" });
});
