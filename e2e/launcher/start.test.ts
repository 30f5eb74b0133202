import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const naming = resolve(import.meta.dirname, "testing/name-loaded-files.ts");

// How long it takes is measured by `kedge bench start`; what it takes that long for is the same on a busy machine.
it("the help loads the descriptions of the commands, and none of what they do", () => {
  const args = [`--import=${naming}`, "--conditions=kedge-source", "cli/src/main.ts", "--help"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("USAGE") as string });
  const files = [...stderr.matchAll(/^loads (.+)$/gmu)].map(([, url = ""]) => fileURLToPath(url));
  const others = files
    .map((file) => relative(root, file))
    .filter((file) => !file.startsWith("cli/src/") && !file.startsWith("node_modules/@stricli/core/"));
  expect(others).toEqual([]);
  const own = files.filter((file) => file.includes("/cli/src/"));
  expect(own.length).toBeGreaterThan(10);
  expect(own.length).toBeLessThan(30);
  expect(own.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(60_000);
});
