import { globSync, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { ExecProcess } from "@kedge/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLaboratory, type Laboratory } from "./laboratory.ts";
import { whyNoContainers } from "./needs.ts";
import { needs } from "../testing/needs.ts";

describe("a command in a container", needs(whyNoContainers()), () => {
  let lab: Laboratory;
  let id: string;
  beforeAll(async () => {
    lab = await openLaboratory();
    id = await lab.run({ command: ["sleep", "1000"], environment: { COLOUR: "red" } });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
  });

  it("has its own output, errors and exit code, and the container's environment", async () => {
    expect(await lab.exec(id, "sh", "-c", "echo $COLOUR; echo no >&2; exit 9")).toEqual({
      code: 9,
      stdout: "red\n",
      stderr: "no\n",
    });
  });

  it("reads what is written to it, to the end", async () => {
    const process = await lab.runtime.exec(id, { command: ["wc", "-c"], tty: false });
    process.stdin.end("x".repeat(300_000));
    expect((await text(process.stdout)).trim()).toBe("300000");
    expect(await process.exit).toEqual({ exitCode: 0 });
  });

  it.each([false, true])(
    "that the container has not got is refused in words, once (tty: %s)",
    async (tty) => {
      const process = await lab.runtime.exec(id, { command: ["no-such-program"], tty });
      const [stdout, stderr] = [text(process.stdout), text(process.stderr)];
      await expect(process.exit).rejects.toMatchObject({
        code: "EXEC_FAILED",
        message: expect.stringContaining("executable file not found") as string,
      });
      expect([await stdout, await stderr]).toEqual(["", ""]);
    },
  );

  it("ends when it is killed, or its signal aborts", async () => {
    const control = new AbortController();
    const killed = await started(["sleep", "1000"]);
    const aborted = await started(["sleep", "1000"], control.signal);
    killed.kill();
    control.abort();
    expect(await killed.exit).toEqual({ exitCode: 137 });
    expect(await aborted.exit).toEqual({ exitCode: 137 });
    expect((await lab.exec(id, "ps")).stdout).not.toMatch(/\n(?!\s*1 ).*sleep 1000/u);
  });

  it("cannot run in a container that has ended", async () => {
    const other = await lab.run({ command: ["true"] });
    await lab.ended(other);
    await expect(lab.exec(other, "true")).rejects.toMatchObject({ code: "NOT_RUNNING" });
    await expect(lab.exec("gone", "true")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is let go by the next agent when its own was killed: one that hangs would hold the container", async () => {
    const other = await lab.run({ command: ["sleep", "1000"] });
    await lab.runtime.exec(other, { command: ["sleep", "555"], tty: false });
    await expect.poll(() => commandsOf(other)).toBe(1);
    await lab.restart();
    await expect.poll(() => commandsOf(other)).toBe(0);
    await lab.runtime.remove(other);
  });

  describe("on a terminal", () => {
    it("has one, and what is typed is echoed once", async () => {
      const process = await lab.runtime.exec(id, { command: ["sh"], tty: true });
      // Who types before the shell reads sees it twice on any terminal.
      const output = text(process.stdout.pipe(new PassThrough()));
      await listenTo(process)("# ");
      process.stdin.write("tty\n");
      process.stdin.write("exit 4\n");
      expect(await process.exit).toEqual({ exitCode: 4 });
      expect(await output).toContain("/dev/pts/");
      expect((await output).match(/exit 4/gu)).toHaveLength(1);
    });

    it("learns its size, and each change of it", async () => {
      const command = ["sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done"];
      const process = await lab.runtime.exec(id, { command, tty: true });
      const heard = listenTo(process);
      await heard("ready");
      await process.resize({ columns: 132, rows: 43 });
      await heard("43 132");
      await process.resize({ columns: 80, rows: 24 });
      await heard("24 80");
      process.kill();
      expect(await process.exit).toEqual({ exitCode: 137 });
    });
  });

  async function started(command: readonly string[], signal?: AbortSignal): Promise<ExecProcess> {
    const script = ["sh", "-c", 'echo ready; exec "$@"', "sh", ...command];
    const process = await lab.runtime.exec(id, { command: script, tty: false, ...(signal && { signal }) });
    await listenTo(process)("ready");
    return process;
  }
});

/** Listens to the output from now on. What it gives waits until a text was said. */
function listenTo(process: ExecProcess): (expected: string) => Promise<void> {
  let said = "";
  process.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return async (expected) => {
    await expect.poll(() => said).toContain(expected);
  };
}

/** How many `runc exec` there are for a container. */
function commandsOf(id: string): number {
  return globSync("/proc/[0-9]*/cmdline").filter((file) => {
    const words = textOf(file).split("\0");
    return words.includes("exec") && words.includes(id);
  }).length;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // It has ended meanwhile.
  }
}
