import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type Clock } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import { libraryLayouts } from "./architecture.ts";
import { findOnPath } from "./find-on-path.ts";
import type { PackageCache, UnpackedPackage } from "./package-cache.ts";
import { PackageError } from "./package-error.ts";
import { packageLists } from "./package-lists.ts";

/** Paths of the programs that a node runs. */
export interface NodePrograms {
  readonly runc: string;
  readonly conmon: string;
  readonly ip: string;
  readonly nft: string;
  /** These two give each container's monitor a mount namespace with the container's root in it. */
  readonly unshare: string;
  readonly mount: string;
  /** Gives `exec` a terminal. */
  readonly script: string;
  /** Sets the size of a terminal. */
  readonly stty: string;
  /** Reaches the input of containers for `attach`. */
  readonly perl: string;
}

/** Where programs are looked for. */
export interface FindProgramsOptions {
  readonly cache: PackageCache;
  readonly clock: Clock;
  /** Folders with programs (`PATH`). */
  readonly path: string;
  readonly signal?: AbortSignal;
}

/**
 * Finds the programs on this machine, and fetches those that it has not got as packages. Rejects with a `PackageError`
 * that names the command to type.
 */
export async function findPrograms(options: FindProgramsOptions): Promise<NodePrograms> {
  const unshare = essential("unshare", "util-linux", options.path);
  const mount = essential("mount", "mount", options.path);
  const script = essential("script", "bsdutils", options.path);
  const stty = essential("stty", "coreutils", options.path);
  const perl = essential("perl", "perl-base", options.path);
  const [runc, conmon, ip, nft] = await Promise.all([
    findProgram("runc", options),
    findProgram("conmon", options),
    findProgram("ip", options),
    findProgram("nft", options),
  ]);
  return { runc, conmon, ip, nft, unshare, mount, script, stty, perl };
}

/** Programs that come as packages: Debian's name of the package, and how to see that the program starts. */
const fetched = {
  runc: { package: "runc", probe: ["--version"] },
  conmon: { package: "conmon", probe: ["--version"] },
  ip: { package: "iproute2", probe: ["-V"] },
  nft: { package: "nftables", probe: ["--version"] },
} as const;

async function findProgram(name: keyof typeof fetched, options: FindProgramsOptions): Promise<string> {
  const { cache, clock, path, signal } = options;
  const here = findOnPath(name, path);
  if (here !== undefined) return here;
  const hint = `Type: apt-get install ${fetched[name].package}`;
  try {
    const packages = await cache.unpack(packageLists[name], "bookworm", signal);
    const program = programOf(name, packages);
    const text = wrapperOf({ name, program, packages, cache });
    const version = packages[0]?.version.replaceAll(":", "%3A") ?? "";
    const place = join(cache.folder, "bin", `${name}-${version}`);
    const wrapper = join(place, name);
    // What is there has been seen to start. That is not tried every time: it takes as long as many a start of a pod.
    if ((await readFile(wrapper, "utf8").catch(() => "")) !== text) {
      await mkdir(place, { recursive: true });
      const temporary = join(place, `.${name}.${process.pid}`);
      await writeFile(temporary, text);
      await chmod(temporary, 0o755);
      await runProgram(temporary, fetched[name].probe, { clock, signal, timeoutMs: 10_000 });
      await rename(temporary, wrapper);
    }
    return name === "runc" ? program : wrapper;
  } catch (error) {
    signal?.throwIfAborted();
    const why = messageOf(error);
    throw new PackageError("NO_PROGRAM", `${name} is not on this machine and could not be fetched: ${why}`, {
      cause: error,
      hint,
    });
  }
}

function programOf(name: string, packages: readonly UnpackedPackage[]): string {
  const candidates = packages.flatMap(({ folder }) =>
    ["usr/sbin", "usr/bin", "sbin", "bin"].map((place) => join(folder, place, name)),
  );
  const program = candidates.find((path) => existsSync(path));
  if (program === undefined) throw new Error(`none of its packages has a program ${name}`);
  return program;
}

interface Wrapped {
  readonly name: string;
  readonly program: string;
  readonly packages: readonly UnpackedPackage[];
  readonly cache: PackageCache;
}

/**
 * A script that starts a program with the loader and the libraries of its own packages, so that it does not matter which
 * ones the machine has, and that changes no environment for the program's children. Runc starts itself anew by
 * /proc/self/exe, which would be the loader: it takes the machine's own libraries.
 */
function wrapperOf({ name, program, packages, cache }: Wrapped): string {
  if (name === "runc") return `#!/bin/sh\nexec ${quoted(program)} "$@"\n`;
  const layout = libraryLayouts[cache.architecture];
  const folders = packages
    .flatMap(({ folder }) => [join(folder, "lib", layout.folder), join(folder, "usr/lib", layout.folder)])
    .filter((folder) => existsSync(folder));
  const loader = folders.map((folder) => join(folder, layout.loader)).find((path) => existsSync(path));
  if (loader === undefined) throw new Error(`none of its packages has the loader ${layout.loader}`);
  const words = [loader, "--argv0", name, "--library-path", folders.join(":"), program];
  return `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`;
}

/** A word for the shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function essential(name: string, packageName: string, path: string): string {
  const found = findOnPath(name, path);
  if (found !== undefined) return found;
  throw new PackageError("NO_PROGRAM", `${name} is not on this machine`, {
    hint: `Type: apt-get install ${packageName}`,
  });
}
