import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { buildReal } from "./build.ts";
import { canBuildReal } from "./go.ts";
import { goModules, missingPrograms, programPath } from "./programs.ts";
import { tempFolder } from "./testing/temp-folder.ts";

/** A machine with a stand-in for Go that notes what it builds. `whenBuilding` is shell code that it runs on each build. */
async function machine({ version = "go1.26.3", whenBuilding = "" } = {}) {
  const folder = await tempFolder();
  const go = join(folder, "bin/go");
  await mkdir(dirname(go));
  await writeFile(
    go,
    `#!/bin/sh
if [ "$1" = env ]; then echo ${version}; exit; fi
while [ "$1" != -o ]; do shift; done
echo "$3" >>${folder}/built
${whenBuilding}
echo program >"$2"
`,
  );
  await chmod(go, 0o755);
  const env = { PATH: `${dirname(go)}:/usr/bin:/bin`, KEDGE_CACHE: join(folder, "cache") };
  const lines: string[] = [];
  const build = () =>
    buildReal({ env, print: (line) => lines.push(line), findGo: (given) => canBuildReal(given, []) });
  const built = async () => (await readFile(join(folder, "built"), "utf8")).trimEnd().split("\n");
  return { folder, env, lines, build, built };
}

const packages = goModules().flatMap((module) => Object.values(module.packages));

it("builds every program once, with a line before and after each", async () => {
  const { env, lines, build, built } = await machine();
  expect(missingPrograms(env)).toHaveLength(5);
  expect(await build()).toEqual({ ok: true });
  expect(await build()).toEqual({ ok: true });
  expect(await built()).toEqual(packages);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatch(/^building etcd v3\.6\.\d+ \(once\)$/u);
  expect(lines[1]).toMatch(/^built etcd v3\.6\.\d+ in \d+s$/u);
  expect(missingPrograms(env)).toEqual([]);
  expect(await readFile(programPath("kubectl", env), "utf8")).toBe("program\n");
});

it("builds once when two are started at once", async () => {
  const { build, built } = await machine();
  expect(await Promise.all([build(), build()])).toEqual([{ ok: true }, { ok: true }]);
  expect(await built()).toEqual(packages);
});

it("goes on where a build that was killed has stopped, and removes its rest", async () => {
  const { env, build, built } = await machine();
  const etcd = programPath("etcd", env);
  const apiserver = programPath("kube-apiserver", env);
  for (const path of [etcd, apiserver]) await mkdir(dirname(path), { recursive: true });
  await writeFile(etcd, "program\n");
  await writeFile(`${apiserver}.4711.tmp`, "half");
  // A process id that no process has.
  await symlink("4194305", join(env.KEDGE_CACHE, "real/build.lock"));
  expect(await build()).toEqual({ ok: true });
  expect(await built()).toEqual(packages.slice(1));
  expect((await readdir(dirname(apiserver))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(existsSync(join(env.KEDGE_CACHE, "real/build.lock"))).toBe(false);
});

it("says what Go said when it fails, and keeps nothing half-done", async () => {
  const { env, build } = await machine({
    whenBuilding: 'echo half >"$2"; echo no route to proxy >&2; exit 1',
  });
  await expect(build()).rejects.toThrow(
    /^go could not build go\.etcd\.io[^]*no route to proxy[^]*go env GOPROXY/u,
  );
  expect(missingPrograms(env)).toHaveLength(5);
});

it("needs no Go when everything is there", async () => {
  const { env, build } = await machine();
  await build();
  expect(await buildReal({ env: { ...env, PATH: "" }, print: () => undefined })).toEqual({ ok: true });
});

it.each([
  ["is missing", undefined, "Go 1.26 or newer is not on this machine: install it"],
  ["is too old", "go1.19.8", /^Go 1\.26 or newer is needed, and .*\/go is go1\.19\.8: install it/u],
  ["is broken", "x; exit 1", /^Go 1\.26 or newer is needed, and .*\/go is broken: install it/u],
])("says so in one line when Go %s", async (_what, version, reason) => {
  const { env } = await machine(version === undefined ? {} : { version });
  const given = version === undefined ? { PATH: "" } : env;
  const result = await canBuildReal(given, []);
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? "" : result.reason).toMatch(reason);
  expect(result.ok ? "" : result.reason).not.toContain("\n");
});

it("takes the first Go that is new enough", async () => {
  const old = await machine({ version: "go1.20" });
  const good = await machine({ version: "go2.0" });
  const PATH = `${old.env.PATH}:${good.env.PATH}`;
  expect(await canBuildReal({ PATH }, [])).toEqual({
    ok: true,
    version: "go2.0",
    go: join(good.folder, "bin/go"),
  });
});
