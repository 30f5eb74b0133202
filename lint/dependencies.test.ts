import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { dependencyProblems, importsOf } from "./dependencies.ts";
import { roomTable } from "./rooms.ts";

const root = resolve(import.meta.dirname, "..");

const packages = ["packages", "cluster", "operators", "examples"]
  .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  .filter((name) => existsSync(join(root, name, "package.json")));

describe("dependencies are declared where they are imported, and nowhere else", () => {
  it.each([...packages, "cli"])("in %s", (name) => {
    expect(dependencyProblems(join(root, name), root)).toEqual({ unused: [], undeclared: [] });
  });

  it("finds those that are not, and knows what tests may use", () => {
    const folder = mkdtempSync(join(tmpdir(), "kedge-dependencies-"));
    const manifest = {
      name: "@kedge/mine",
      dependencies: { used: "1", "@scope/used": "1", unused: "1", "for-tests": "1" },
      devDependencies: { idle: "1", "@types/node": "1" },
    };
    const files = {
      "package.json": JSON.stringify(manifest),
      "root/package.json": JSON.stringify({ name: "root", devDependencies: { vitest: "1" } }),
      "src/a.ts": [
        'import { readFile } from "node:fs";',
        'import used from "used/part";',
        'export type { X } from "@scope/used";',
        'import {\n  y,\n} from "forgotten";',
        'const later = import("also-forgotten");',
        'import "./b.ts";',
        'export const text = "from \\"nothing\\"";',
        'export const other = { a: "b", from: "c" };',
        '/** `import x from "said"` */',
      ].join("\n"),
      "src/a.test.ts":
        'import { it } from "vitest";\nimport "for-tests";\nimport { own } from "@kedge/mine";\n',
      "src/testing/help.ts": 'import help from "not-even-for-tests";\n',
    };
    try {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
      }
      expect(dependencyProblems(folder, join(folder, "root"))).toEqual({
        unused: ["unused", "for-tests", "idle"],
        undeclared: ["forgotten", "also-forgotten", "not-even-for-tests"],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it.each(roomTable)("%s may import from our packages what it does import, and no more", (room, allowed) => {
  const { source } = importsOf(join(root, room));
  const ours = [...source]
    .filter((name) => name.startsWith("@kedge/"))
    .map((name) => name.slice("@kedge/".length));
  expect(ours.toSorted()).toEqual(allowed.toSorted());
});
