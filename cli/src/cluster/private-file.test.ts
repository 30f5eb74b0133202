import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readPrivateFile } from "./private-file.ts";

it("reads a file that nobody else can read, and no other", () => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "keys.yaml");
  expect(() => readPrivateFile(file)).toThrow(`there is no file ${file}`);
  writeFileSync(file, "keys", { mode: 0o600 });
  expect(readPrivateFile(file)).toBe("keys");
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(file, mode);
    expect(() => readPrivateFile(file)).toThrow(`(mode ${mode.toString(8)}): chmod 600 ${file}`);
  }
});
