import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";

/** Whether this machine can build the real programs: the Go to do it with, or why not, in one line. */
export type CanBuild =
  | { readonly ok: true; readonly go: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** What Kubernetes' go.mod asks for. Go 1.21 and newer bring it themselves where they may. */
const oldestGo = { major: 1, minor: 26 };

/** Where Go's own installer puts it: that PATH must be told is easily missed. */
const usualFolders = ["/usr/local/go/bin"];

/** Looks for a Go that is new enough: on PATH, then where it usually is. */
export async function canBuildReal(
  env: Environment = process.env,
  folders: readonly string[] = usualFolders,
): Promise<CanBuild> {
  const wanted = `Go ${oldestGo.major}.${oldestGo.minor} or newer`;
  const way = "install it (https://go.dev/doc/install) to test against real Kubernetes";
  const found = goPrograms([...(env["PATH"] ?? "").split(delimiter), ...folders]);
  if (found.length === 0) return { ok: false, reason: `${wanted} is not on this machine: ${way}` };
  let newest = "";
  for (const go of found) {
    const version = await versionOf(go, env);
    if (isNewEnough(version)) return { ok: true, go, version };
    newest = `${go} is ${version === "" ? "broken" : version}`;
  }
  return { ok: false, reason: `${wanted} is needed, and ${newest}: ${way}` };
}

function goPrograms(folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "go"))
    .filter((go) => existsSync(go));
}

/** Asked in a module's folder: a newer toolchain that go.mod makes Go fetch is the one that counts. */
async function versionOf(go: string, env: Environment): Promise<string> {
  const cwd = resolve(import.meta.dirname, "kubernetes");
  try {
    const { stdout } = await promisify(execFile)(go, ["env", "GOVERSION"], { cwd, env: { ...env } });
    return stdout.trim();
  } catch {
    return "";
  }
}

function isNewEnough(version: string): boolean {
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/u.exec(version) ?? []).map(Number);
  return major > oldestGo.major || (major === oldestGo.major && minor >= oldestGo.minor);
}
