import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundlesInUse } from "./bundles-in-use.ts";
import { manifestFile, manifestOf } from "./manifest.ts";
import { bundlesFolder, refreshBundle } from "./refresh-bundle.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kedge-refresh-"));
  put("package-lock.json", "{}");
  put("cli/src/main.ts", "one");
});
afterEach(() => rmSync(root, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Stands for the bundler: a bundle is what the one source says. */
function write(from: string, folder: string): Promise<void> {
  const files = new Map([["main.js", readFileSync(join(from, "cli/src/main.ts"), "utf8")]]);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of [...files, [manifestFile, manifestOf(files)] as const])
    writeFileSync(join(folder, name), text);
  return Promise.resolve();
}

let built = 0;
beforeEach(() => {
  built = 0;
});
async function refresh(bundler = write): Promise<string> {
  await refreshBundle({ root, onBuild: () => built++, write: bundler });
  return readFileSync(codeFile("main.js"), "utf8");
}

function codeFile(name: string): string {
  const key = readFileSync(join(bundlesFolder(root), "current"), "utf8").trim();
  return join(bundlesFolder(root), key, "code", name);
}

it("makes a bundle once, and leaves nothing else behind", async () => {
  expect([await refresh(), await refresh(), built]).toEqual(["one", "one", 1]);
  expect(readdirSync(bundlesFolder(root))).toHaveLength(2);
});

it("is about the sources that are in it: tests are not", async () => {
  await refresh();
  put("cli/src/main.test.ts", "");
  put("cli/src/testing/made-up.ts", "");
  await refresh();
  expect(built).toBe(1);
  put("package-lock.json", '{ "other": 1 }');
  await refresh();
  expect(built).toBe(2);
});

it("finds a bundle again that it made before", async () => {
  await refresh();
  put("cli/src/main.ts", "two");
  expect(await refresh()).toBe("two");
  put("cli/src/main.ts", "one");
  expect([await refresh(), built]).toEqual(["one", 2]);
});

it.each([
  ["changed", () => writeFileSync(codeFile("main.js"), "?")],
  ["gone", () => rmSync(codeFile("main.js"))],
  ["too many", () => writeFileSync(codeFile("other.js"), "?")],
  ["unknown, since the list of them is gone", () => rmSync(codeFile(manifestFile))],
])("makes it again when files are %s", async (_what, damage) => {
  await refresh();
  damage();
  expect([await refresh(), built]).toEqual(["one", 2]);
  expect(readdirSync(dirname(codeFile("main.js")))).toEqual(["main.js", manifestFile].toSorted());
});

it("a source that is edited while it is bundled is bundled again", async () => {
  const edits = ["two", "three"];
  const edited = async (from: string, folder: string): Promise<void> => {
    await write(from, folder);
    const edit = edits.shift();
    if (edit !== undefined) put("cli/src/main.ts", edit);
  };
  expect([await refresh(edited), built]).toEqual(["three", 3]);
});

it("the launcher's mark is older than an edit that comes after it, and not older than the bundle", async () => {
  await refresh();
  const mark = statSync(join(bundlesFolder(root), "current")).mtimeMs;
  expect(statSync(codeFile("main.js")).ctimeMs).toBeLessThanOrEqual(mark);
  expect(statSync(codeFile(manifestFile)).ctimeMs).toBeLessThanOrEqual(mark);
});

it("who was slower takes the bundle of who was first", async () => {
  const other = await refresh().then(() => dirname(dirname(codeFile("main.js"))));
  const aside = join(root, "aside");
  renameSync(other, aside);
  const slow = async (from: string, folder: string): Promise<void> => {
    await write(from, folder);
    renameSync(aside, other);
  };
  expect(await refresh(slow)).toBe("one");
  expect(readdirSync(bundlesFolder(root))).toHaveLength(2);
});

it("a bundler that fails changes nothing", async () => {
  await refresh();
  put("cli/src/main.ts", "two");
  await expect(refresh(() => Promise.reject(new Error("syntax")))).rejects.toThrow("syntax");
  expect(readFileSync(codeFile("main.js"), "utf8")).toBe("one");
  expect(readdirSync(bundlesFolder(root))).toHaveLength(2);
});

describe("what is old", () => {
  it("goes, but for the last two", async () => {
    for (const text of ["1", "2", "3", "4", "5"]) {
      put("cli/src/main.ts", text);
      await refresh();
    }
    expect(readdirSync(bundlesFolder(root))).toHaveLength(4);
  });

  it("goes when a build was killed", async () => {
    mkdirSync(join(bundlesFolder(root), "tmp.4194305"), { recursive: true });
    await refresh();
    expect(readdirSync(bundlesFolder(root))).toHaveLength(2);
  });

  it("stays while a process runs it", () => {
    const command = (pid: number, ...args: readonly string[]): void =>
      put(`proc/${pid}/cmdline`, [...args, ""].join("\0"));
    command(1, "/sbin/init");
    command(20, "node", "--flag", "/w/node_modules/.kedge-bundle/abc/code/main.js", "up");
    command(21, "node", "/other/node_modules/.kedge-bundle/def/code/main.js");
    put("proc/self/cmdline", "/w/node_modules/.kedge-bundle/xyz/code/main.js");
    expect([...bundlesInUse("/w/node_modules/.kedge-bundle", join(root, "proc"))]).toEqual(["abc"]);
    expect([...bundlesInUse("/w", join(root, "there is none"))]).toEqual([]);
  });
});
