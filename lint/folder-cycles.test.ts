import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { folderCycles } from "./folder-cycles.ts";
import { roomTable } from "./rooms.ts";

describe("folders import in one direction", () => {
  const root = resolve(import.meta.dirname, "..");

  it.each(["cli", ...roomTable.map(([room]) => room)])("in %s", (name) => {
    expect(folderCycles(join(root, name, "src"))).toEqual([]);
  });

  it("finds circles of folders and of files, by types too, and leaves tests alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "kedge-folder-cycles-"));
    const files = {
      "a/x.ts": 'import { y } from "../b/y.ts";\n',
      "b/y.ts": 'import {\n  x,\n} from "../c/deep/z.ts";\n',
      "c/deep/z.ts": 'export type { X } from "../../a/other.ts";\n',
      "c/deep/one.ts": 'import type { Two } from "./two.ts";\n',
      "c/deep/two.ts": 'const one = await import("./one.ts");\n',
      "d/fine.ts": 'import { y } from "../b/y.ts";\n',
      "b/y.test.ts": 'import { fine } from "../d/fine.ts";\n',
      "b/testing/help.ts": 'import { fine } from "../../d/fine.ts";\n',
    };
    try {
      for (const [file, code] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), code);
      }
      expect(folderCycles(folder).toSorted()).toEqual([
        ".: a → b → c → a (a/x.ts imports b/y.ts, b/y.ts imports c/deep/z.ts, c/deep/z.ts imports a/other.ts)",
        "c/deep: one.ts → two.ts → one.ts (c/deep/one.ts imports c/deep/two.ts, c/deep/two.ts imports c/deep/one.ts)",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
