import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Native tools come as one optional package per platform. npm leaves those that a registry does not have out of
 * package-lock.json without a word, and then refuses to install from it (`npm ci`: "Missing … from lock file"). This
 * adds them by name and version, so that every platform finds its own. Run it after `npm install`:
 *
 *     node lint/complete-lock.ts
 */
export function completeLock(lock: Lock): Lock {
  const missing = missingPackages(lock).map((entry): [string, LockedPackage] => [
    `node_modules/${entry.name}`,
    {
      version: entry.version,
      optional: true,
      ...(entry.dev ? { dev: true } : {}),
      ...platformOf(entry.name),
    },
  ]);
  const packages = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) });
  return { ...lock, packages: Object.fromEntries(packages.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

/**
 * Adds the checksums that are missing, as far as the registry has the packages: npm installs what has none unseen. A
 * registry that mirrors only some platforms does not; run this again where there is one that does.
 */
export async function addIntegrity(lock: Lock, lookUp: LookUp): Promise<Lock> {
  const found = await Promise.all(
    withoutIntegrity(lock).map(
      async ({ path, name, version }): Promise<readonly [string, LockedPackage][]> => {
        const integrity = await lookUp(name, version);
        return integrity === undefined ? [] : [[path, { ...lock.packages[path], integrity }]];
      },
    ),
  );
  return { ...lock, packages: { ...lock.packages, ...Object.fromEntries(found.flat()) } };
}

/** The checksum of a package; undefined when the registry has no such package. */
export type LookUp = (name: string, version: string) => Promise<string | undefined>;

/** The packages that npm would install without comparing them with anything. Packages of ours are links. */
export function withoutIntegrity({ packages }: Lock): readonly UnverifiedPackage[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/u.exec(path) ?? [];
    if (name === undefined || entry.link === true || entry.integrity !== undefined) return [];
    const { version = "", optional = false, os = [], cpu = [], libc = [] } = entry;
    return [{ path, name, version, optional, os, cpu, libc }];
  });
}

/** A package in the lock without a checksum. */
export interface UnverifiedPackage extends Required<
  Pick<LockedPackage, "version" | "optional" | "os" | "cpu" | "libc">
> {
  readonly path: string;
  readonly name: string;
}

/** package-lock.json, as far as we look at it. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/** The platform packages that something in the lock wants, and that have no entry of their own. */
export function missingPackages({ packages }: Lock): { name: string; version: string; dev: boolean }[] {
  return Object.values(packages).flatMap(({ optionalDependencies = {}, dev = false }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => packages[`node_modules/${name}`] === undefined && isForOnePlatform(name))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** Reads package-lock.json of the workspace. */
export function readLock(): Lock {
  const lock: unknown = JSON.parse(readFileSync(lockFile, "utf8"));
  if (!isLock(lock)) throw new Error(`${lockFile} has no packages: run \`npm install\` first`);
  return lock;
}

function isLock(value: unknown): value is Lock {
  return typeof value === "object" && value !== null && "packages" in value;
}

function isForOnePlatform(name: string): boolean {
  return Object.keys(platformOf(name)).length > 0;
}

function platformOf(name: string): Pick<LockedPackage, "os" | "cpu" | "libc"> {
  const words = name.split(/[/-]/u);
  const [os, cpu, libc] = [systems, processors, libraries].map((known) =>
    words.map((word) => known[word]).find((found) => found !== undefined),
  );
  return {
    ...(os === undefined ? {} : { os: [os] }),
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(libc === undefined ? {} : { libc: [libc] }),
  };
}

type Words = Readonly<Record<string, string>>;
const same = (...words: readonly string[]): Words => Object.fromEntries(words.map((word) => [word, word]));
const systems: Words = same(
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
);
const processors: Words = same(
  "arm",
  "arm64",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
);
const libraries: Words = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

const lockFile = resolve(import.meta.dirname, "../package-lock.json");

if (import.meta.main) {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const lock = await addIntegrity(completeLock(readLock()), async (name, version) => {
    const response = await fetch(new URL(`${name.replace("/", "%2f")}/${version}`, registry));
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${response.url} answers ${response.status}: try again later`);
    return integrityOf(await response.json());
  });
  writeFileSync(lockFile, `${JSON.stringify(lock, undefined, 2)}\n`);
  for (const { name, version } of withoutIntegrity(lock))
    process.stderr.write(
      `${name}@${version}: ${registry} has no such package, so its checksum is not known\n`,
    );
}

function integrityOf(version: unknown): string | undefined {
  const dist: unknown = new Map<string, unknown>(Object.entries(version ?? {})).get("dist");
  const integrity: unknown = new Map<string, unknown>(Object.entries(dist ?? {})).get("integrity");
  return typeof integrity === "string" ? integrity : undefined;
}
