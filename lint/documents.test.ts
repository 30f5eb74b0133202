import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const skipped = new Set(["node_modules", "dist", ".kedge"]);
const pages = globSync("**/*.md", { cwd: root, exclude: (name) => skipped.has(name) });

describe.each(pages)("%s", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = Array.from(
    text.matchAll(/\[(?<title>[^\]]*)\]\((?<path>[^)#:]+)(?:#[^)]*)?\)/gu),
    (match) => ({
      title: match.groups?.["title"] ?? "",
      path: match.groups?.["path"] ?? "",
    }),
  );

  it("leads to files that there are", () => {
    const missing = links.filter(({ path }) => !existsSync(resolve(root, dirname(page), path)));
    expect(missing).toEqual([]);
  });

  it("calls decisions by their numbers", () => {
    const wrong = links.filter(({ title, path }) => {
      const [, said] = /^decision (\d+)$/iu.exec(title) ?? [];
      const [, is] = /(?:^|\/)(\d{4})-[^/]*\.md$/u.exec(path) ?? [];
      return said !== undefined && Number(said) !== Number(is);
    });
    expect(wrong).toEqual([]);
  });
});

it("has one decision for each number, which is that of its title", () => {
  const folder = join(root, "docs/decisions");
  const names = readdirSync(folder).toSorted();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1));
  for (const [index, name] of names.entries()) {
    expect(readFileSync(join(folder, name), "utf8")).toMatch(new RegExp(`^# ${index + 1}\\. `, "u"));
  }
});

it("names places in the map that there are", () => {
  const map = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const places = Array.from(
    map.matchAll(/`((?:packages|cluster|operators|examples|cli|config|e2e|bench|lint)\/[\w./-]*)`/gu),
    ([, place = ""]) => place,
  );
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
});
