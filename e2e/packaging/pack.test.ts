import { execFile, type ExecFileOptions } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const tsc = join(root, "node_modules/typescript/bin/tsc");
const published = ["machinery", "client"] as const;

/** An empty folder outside of the workspace, in which both packages were installed from what `npm pack` made. */
let consumer: string;

beforeAll(async () => {
  consumer = await realpath(await mkdtemp(join(tmpdir(), "kedge-consumer-")));
  // From nothing: what is left of sources that are gone must not be published, nor make this pass.
  for (const name of published)
    await rm(join(root, "packages", name, "dist"), { recursive: true, force: true });
  await node([tsc, "-b", "packages/client"], root);
  const tarballs: string[] = [];
  for (const name of published) {
    const folder = join(root, "packages", name);
    tarballs.push(await pack(folder), ...(await packDependencies(folder)));
  }
  await writeFile(join(consumer, "package.json"), '{ "type": "module", "private": true }');
  await npm(["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", ...tarballs], consumer);
});
afterAll(async () => {
  await rm(consumer, { recursive: true });
});

describe.each(published)("@kedge/%s as published", (name) => {
  it("has everything that it was compiled to, and no tests", async () => {
    const files = await filesOf(name);
    expect(files).toContain("dist/index.js");
    expect(files).toContain("dist/index.d.ts");
    expect(files.filter((file) => /\.test\.|\/testing\/|tsbuildinfo/u.test(file))).toEqual([]);
  });

  it("has its sources where the source maps look for them", async () => {
    const map: unknown = JSON.parse(await readFile(join(installed(name), "dist/index.js.map"), "utf8"));
    expect(map).toMatchObject({ sources: ["../src/index.ts"] });
    expect(await filesOf(name)).toContain("src/index.ts");
  });

  it("refuses to be reached into", async () => {
    const reach = `await import("@kedge/${name}/dist/index.js").catch(({ code }) => console.log(code))`;
    const { stdout } = await node(["--input-type=module", "--eval", reach], consumer);
    expect(stdout).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });
});

describe("a program that uses both", () => {
  beforeAll(async () => {
    await cp(join(import.meta.dirname, "consumer.ts.txt"), join(consumer, "consumer.ts"));
    await writeFile(join(consumer, "kubeconfig.yaml"), kubeconfig);
  });

  it("runs on Node.js without the workspace", async () => {
    const { stdout, stderr } = await node(["consumer.ts"], consumer);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      key: "default/web",
      answer: { path: "/version" },
      server: "https://10.0.0.1:6443",
      typedError: "CONFIG",
    });
  });

  it("compiles against their types, which are checked too", async () => {
    await writeFile(join(consumer, "tsconfig.json"), JSON.stringify(consumerTsconfig));
    await expect(node([tsc, "--project", consumer], consumer)).resolves.toMatchObject({ stdout: "" });
  });
});

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: here
clusters: [{ name: here, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: me, user: { token: secret } }]
contexts: [{ name: here, context: { cluster: here, user: me } }]
`;

const consumerTsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  },
  files: ["consumer.ts"],
};

/** Packs what package.json says that it depends on, from node_modules: so nothing is missed, and no network is needed. */
async function packDependencies(folder: string): Promise<readonly string[]> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("dependencies" in manifest)) return [];
  const names = Object.keys(manifest.dependencies ?? {}).filter((name) => !name.startsWith("@kedge/"));
  const tarballs: string[] = [];
  for (const name of names) tarballs.push(await pack(join(root, "node_modules", name)));
  return tarballs;
}

async function pack(folder: string): Promise<string> {
  const destination = join(consumer, "tarballs");
  await mkdir(destination, { recursive: true });
  const { stdout } = await npm(
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", destination],
    folder,
  );
  return join(destination, stdout.trim());
}

function installed(name: string): string {
  return join(consumer, "node_modules/@kedge", name);
}

async function filesOf(name: string): Promise<readonly string[]> {
  const entries = await readdir(installed(name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed(name).length + 1));
}

function node(args: readonly string[], cwd: string): Promise<Printed> {
  return run(process.execPath, args, { cwd });
}

/** npm under this very Node.js, leaving the user's own cache alone. */
function npm(args: readonly string[], cwd: string): Promise<Printed> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
  return run("npm", [...args, "--cache", join(consumer, "npm-cache"), "--no-update-notifier"], {
    cwd,
    env: { ...process.env, PATH: path },
  });
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], options: ExecFileOptions): Promise<Printed> {
  return new Promise((done, fail) => {
    execFile(program, args, { ...options, encoding: "utf8", maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error === null) done({ stdout, stderr });
      else fail(new Error(`${[program, ...args].join(" ")} failed:\n${stdout}${stderr}`));
    });
  });
}
