import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

const files = {
  "packages/good/src/good.test.ts": `
    import { expect, it } from "vitest";
    it("adds", () => { console.log("noise of a good test"); expect(1 + 1).toBe(2); });
    it("needs a cluster", ({ skip }) => { skip("there is no cluster here"); });
    it.todo("flies");
  `,
  "packages/bad/src/wrong.test.ts": `
    import { expect, it } from "vitest";
    it("subtracts", () => { console.log("a hint of a bad test"); expect(3 - 1).toBe(1); });
    it("still runs", () => {});
  `,
  "packages/bad/src/unloadable.test.ts": `throw new Error("cannot load this");`,
  "packages/bad/src/unprepared.test.ts": `
    import { beforeAll, it } from "vitest";
    beforeAll(() => { throw new Error("cannot prepare this"); });
    it("never runs", () => {});
  `,
  "packages/logging/src/logging.test.ts": `
    import { mkdirSync, writeFileSync } from "node:fs";
    import { it } from "vitest";
    it("fails", () => {
      mkdirSync(process.env.KEDGE_TEST_LOGS, { recursive: true });
      writeFileSync(process.env.KEDGE_TEST_LOGS + "/server.log", "the last words");
      throw new Error("it failed");
    });
  `,
  "packages/stray/src/stray.test.ts": `
    import { it } from "vitest";
    it("leaves something behind", () => { void Promise.reject(new Error("nobody waits for this")); });
  `,
  "e2e/real/build.ts": `console.log("there is no Go here"); process.exitCode = 69;`,
  "e2e/real/never.test.ts": `throw new Error("the real suite ran");`,
  "e2e/journey/journey.test.ts": `import { it } from "vitest"; it("arrives", () => {});`,
};

/** A small workspace with the real command in it. */
let workspace: string;
let good: Printed;
let wrong: Printed;

beforeAll(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "kedge-test-command-")));
  for (const part of ["cli/package.json", "cli/src", "vitest.config.ts", "vitest.setup.ts", "package.json"]) {
    await cp(join(root, part), join(workspace, part), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
  }
  await symlink(join(root, "node_modules"), join(workspace, "node_modules"));
  for (const [file, code] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, file)), { recursive: true });
    await writeFile(join(workspace, file), code);
  }
  good = kedge("test", "unit", "--filter", "good");
  wrong = kedge("test", "unit", "--filter", "wrong");
});
afterAll(async () => {
  await rm(workspace, { recursive: true });
});

describe("kedge test", () => {
  it("ends with the tally alone on its line, and exit code 0 when all is well", () => {
    expect(good.status).toBe(0);
    expect(good.lines.at(-1)).toBe("1 passed, 0 failed, 2 skipped");
    expect(good.stderr).toBe("");
  });

  it("prints a line with the time of each suite, units first", () => {
    const { lines } = kedge("test", "--filter", ".test.ts");
    const suites = lines.filter((line) => /^(?: {2}\S|unit|e2e)/u.test(line)).map((line) => line.trim());
    expect(suites.filter((line) => /\d\.\ds$/u.test(line) || /^(?:unit|e2e)$/u.test(line))).toEqual([
      "unit",
      expect.stringMatching(/^[✓✗] packages\/\w+ +\d tests? +\d+\.\ds$/u),
      expect.stringMatching(/^[✓✗] packages\/\w+ +\d tests? +\d+\.\ds$/u),
      expect.stringMatching(/^[✓✗] packages\/\w+ +\d tests? +\d+\.\ds$/u),
      expect.stringMatching(/^[✓✗] packages\/\w+ +\d tests? +\d+\.\ds$/u),
      "e2e",
      expect.stringMatching(/^✓ e2e\/journey +1 test +\d+\.\ds$/u),
    ]);
  });

  it("is quiet about what passed", () => {
    expect(good.stdout).not.toContain("noise");
  });

  it("names every skipped test with its reason", () => {
    const { stdout } = good;
    expect(stdout).toContain("packages/good/src/good.test.ts > needs a cluster: there is no cluster here\n");
    expect(stdout).toContain("packages/good/src/good.test.ts > flies: not written yet\n");
  });

  it("shows a failed test with what it printed and expected", () => {
    const { status, stdout, lines } = wrong;
    expect(status).toBe(1);
    expect(stdout).toContain("FAIL packages/bad/src/wrong.test.ts > subtracts\na hint of a bad test\n");
    expect(stdout).toContain("expected 2 to be 1");
    expect(lines.at(-1)).toBe("1 passed, 1 failed, 0 skipped");
  });

  it("names what failed once more at the end", () => {
    const { lines } = wrong;
    expect(lines.slice(lines.indexOf("failed"), -2)).toEqual([
      "failed",
      "  packages/bad/src/wrong.test.ts > subtracts",
      "",
    ]);
  });

  it("keeps the logs that tests of a failing run left, and says where", () => {
    const { lines } = kedge("test", "unit", "--filter", "logging");
    const [, folder = ""] = /^ {2}logs of .*: (.*)$/mu.exec(lines.join("\n")) ?? [];
    expect(readFileSync(join(folder, "server.log"), "utf8")).toBe("the last words");
  });

  it.each([
    ["a file that cannot be loaded", "unloadable", "cannot load this", "0 passed, 1 failed, 0 skipped"],
    ["a hook that fails", "unprepared", "cannot prepare this", "0 passed, 1 failed, 1 skipped"],
    ["a rejection that nobody handles", "stray", "nobody waits for this", "1 passed, 1 failed, 0 skipped"],
  ])("counts %s as a failure", (_what, filter, text, tally) => {
    const { status, stdout, lines } = kedge("test", "unit", "--filter", filter);
    expect(status).toBe(1);
    expect(stdout).toContain(text);
    expect(lines.at(-1)).toBe(tally);
    expect(stdout).not.toContain("✓ packages/bad");
  });

  it("says so when no file matches", () => {
    const { status, stderr } = kedge("test", "unit", "--filter", "no-such-file");
    expect(status).toBe(1);
    expect(stderr).toBe("kedge: no test file has `no-such-file` in its path\n");
  });

  it("says in one line why it cannot test against a real control plane", () => {
    const { status, stdout, stderr } = kedge("test", "real");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^real\nskipped\n {2}real: there is no Go here\n/u);
    expect(stdout).toMatch(/\n0 passed, 0 failed, 1 skipped\n$/u);
    expect(stderr).toBe("");
  });

  it("prints no colours into a pipe", () => {
    expect(wrong.stdout).not.toContain("\u001B");
  });
});

interface Printed {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, line by line. */
  readonly lines: readonly string[];
}

function kedge(...args: readonly string[]): Printed {
  const main = join(workspace, "cli/src/main.ts");
  const { VITEST: _vitest, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=kedge-source", "--disable-warning=ExperimentalWarning", main, ...args],
    { cwd: "/", env, encoding: "utf8" },
  );
  return { status, stdout, stderr, lines: stdout.trimEnd().split("\n") };
}
