import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const naming = resolve(import.meta.dirname, "testing/name-loaded-files.ts");

function loadedBy(...args: readonly string[]): { files: string[]; status: number | null; stdout: string } {
  const all = [`--import=${naming}`, "--conditions=kedge-source", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, encoding: "utf8" });
  const files = [...stderr.matchAll(/^loads (.+)$/gmu)].map(([, url = ""]) => fileURLToPath(url));
  return { files, status, stdout };
}

// How long it takes is measured by `kedge bench start`; what it takes that long for is the same on a busy machine.
it("the help loads the descriptions of the commands, and none of what they do", () => {
  const { files, status, stdout } = loadedBy("cli/src/main.ts", "--help");
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining("USAGE") as string });
  const others = files
    .map((file) => relative(root, file))
    .filter((file) => !file.startsWith("cli/src/") && !file.startsWith("node_modules/@stricli/core/"));
  expect(others).toEqual([]);
  const own = files.filter((file) => file.includes("/cli/src/"));
  expect(own.length).toBeGreaterThan(10);
  expect(own.length).toBeLessThan(30);
  expect(own.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(60_000);
});

it("the control plane loads nothing that makes certificates, before it has one to sign", () => {
  // It ends when it finds no cluster there.
  const { files, status } = loadedBy("cli/src/parts/server.ts", "/nonexistent");
  expect(status).toBe(1);
  const loaded = files.map((file) => relative(root, file));
  expect(loaded).toContain("cluster/apiserver/src/api-server.ts");
  expect(loaded.filter((file) => /@peculiar|asn1js|packages\/pki\/src\/x509/u.test(file))).toEqual([]);
});
