import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeTree } from "./remove-tree.ts";

it.each([
  [
    "is deeper than a path is long",
    'i=0; while [ $i -lt 50 ]; do mkdir "$name"; cd -P "$name" || exit 1; i=$((i+1)); done',
  ],
  [
    "has names that are no text",
    "touch \"$(printf 'a\\377\\n')\"; mkfifo f; ln -s / root; mkdir d; chmod 0 d",
  ],
])("a folder is removed that %s", async (_, script) => {
  const folder = mkdtempSync(join(tmpdir(), "kedge-tree-"));
  execFileSync("sh", ["-c", script], { cwd: folder, env: { ...process.env, name: "x".repeat(100) } });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  await removeTree(folder);
});
