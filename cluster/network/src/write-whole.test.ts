import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { macrotask } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeWhole } from "./write-whole.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-whole-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("replaces what was there, makes the folder, and leaves nothing else in it", async () => {
  const path = join(folder, "deep/file");
  await writeWhole(path, "old");
  await writeWhole(path, "new", { mode: 0o600 });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "deep"))).toEqual(["file"]);
});

it("leaves the old text, and nothing else, when the new one cannot be written", async () => {
  const path = join(folder, "file");
  mkdirSync(path);
  await expect(writeWhole(path, "new")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/u);
  expect(readdirSync(folder)).toEqual(["file"]);
});

it("shows its readers the old text or the new one, whole, at every moment", async () => {
  const path = join(folder, "file");
  const texts = Array.from({ length: 20 }, (_value, number) => String(number).repeat(10_000));
  await writeWhole(path, texts[0] ?? "");
  const state = { isDone: false };
  const writing = (async () => {
    for (const text of texts) await writeWhole(path, text);
  })().finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    expect(texts.includes(readFileSync(path, "utf8"))).toBe(true);
    await macrotask();
  }
  await writing;
});

it("does not replace anything when it is to be the first", async () => {
  const path = join(folder, "file");
  await writeWhole(path, "first", { exclusive: true });
  await expect(writeWhole(path, "second", { exclusive: true })).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["file"]);
});

it("flushes the text before it gets its name, and the name before it says so", (context) => {
  if (spawnSync("strace", ["true"]).status !== 0) context.skip("strace is missing, or may not trace here");
  const [path, trace] = [join(folder, "file"), join(folder, "trace")];
  const program = `
    import { writeWhole } from ${JSON.stringify(join(import.meta.dirname, "write-whole.ts"))};
    await writeWhole(${JSON.stringify(path)}, "the text");
    process.stdout.write("done\\n");`;
  const options = ["-f", "-y", "-e", "trace=write,pwrite64,fsync,rename,renameat,renameat2", "-o", trace];
  spawnSync("strace", [...options, process.execPath, "--input-type=module", "-e", program]);
  const steps = readFileSync(trace, "utf8")
    .split("\n")
    // A call that another thread interrupts has its arguments in its first line.
    .filter((line) => line.includes(folder) || line.includes('"done'))
    .flatMap((line) => /\b(?:p?write|fsync|rename)/u.exec(line) ?? []);
  expect(steps).toEqual(["write", "fsync", "rename", "fsync", "write"]);
});
