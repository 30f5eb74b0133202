import { readdir, readFile, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyWorkspace, type WorkspaceCopy } from "./testing/copy-workspace.ts";

// In the order of a user's days: each test goes on with what the one before has left.
let copy: WorkspaceCopy;
beforeAll(async () => {
  copy = await copyWorkspace();
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
});

const sources = (): string => join(copy.folder, "cli/src/main.ts");
const bundled = async (): Promise<string> => {
  const key = (await readFile(join(copy.bundles, "current"), "utf8")).trim();
  return join(copy.bundles, key, "code/main.js");
};

/** What the command prints is changed by this. */
async function editVersion(version: string): Promise<string> {
  const file = join(copy.folder, "cli/src/commands/version/run.ts");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/`kedge.* \$\{/u, `\`kedge ${version} \${`));
  return file;
}

it("two first starts at once make one bundle, and both run it", async () => {
  const both = await Promise.all([copy.kedge(["version"]), copy.kedge(["version"])]);
  const program = await bundled();
  for (const { code, stdout, stderr, ...started } of both) {
    expect({ code, stdout, program: started.program }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^kedge \d/u) as string,
      program,
    });
    expect(stderr).toMatch(/^(?:kedge: bundling the sources\n)?$/u);
  }
  expect(await readdir(copy.bundles)).toHaveLength(2);
});

it("the next start only runs it", async () => {
  expect(await copy.kedge(["--help"])).toMatchObject({ code: 0, stderr: "", program: await bundled() });
});

it("has every program of ours as a module, and threads beside those that start them", async () => {
  const files = await readdir(join(await bundled(), ".."));
  expect(files).toEqual(expect.arrayContaining(["main.js", "server.js", "node.js", "yaml-thread.js"]));
  const said = await readFile(join(await bundled(), "../package.json"), "utf8");
  expect(JSON.parse(said)).toEqual({ type: "module" });
});

it("an edit is seen by the next start, whatever date the file has", async () => {
  const before = await bundled();
  await utimes(await editVersion("edited"), 0, 0);
  const { stdout, stderr, program } = await copy.kedge(["version"]);
  expect(stdout).toMatch(/^kedge edited /u);
  expect(stderr).toBe("kedge: bundling the sources\n");
  expect(program).not.toBe(before);
});

it("a damaged bundle is made again", async () => {
  await truncate(await bundled(), 100);
  const { code, stdout, stderr } = await copy.kedge(["version"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^kedge edited /u) as string });
  expect(stderr).toBe("kedge: bundling the sources\n");
});

it("without a bundler, it says so and runs the sources", async () => {
  await editVersion("unbundled");
  await unlink(join(copy.folder, "node_modules/rolldown"));
  const { code, stdout, stderr, program } = await copy.kedge(["version"]);
  expect({ code, program }).toEqual({ code: 0, program: sources() });
  expect(stdout).toMatch(/^kedge unbundled /u);
  expect(stderr).toMatch(
    /^kedge: bundling the sources\nkedge: the sources could not be bundled: Cannot find package 'rolldown'[^\n]*\nkedge: running the sources, which start more slowly\n$/u,
  );
});
