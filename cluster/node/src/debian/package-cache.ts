import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import { machineArchitecture, type Architecture } from "./architecture.ts";
import type { IndexedPackage } from "./control-stanza.ts";
import { findOnPath } from "./find-on-path.ts";
import { createMirrors } from "./mirrors.ts";
import { PackageError } from "./package-error.ts";
import type { Suite } from "./package-lists.ts";
import { pinOf } from "./pins.ts";

/** What a package cache needs. */
export interface PackageCacheOptions {
  /** Kedge's cache folder: `KEDGE_CACHE` or `~/.cache/kedge`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Folders with programs (`PATH`), for `dpkg-deb` and `gpgv`. */
  readonly path: string;
  /** Tried one after the other. Default: the machine's apt mirror, then deb.debian.org. */
  readonly mirrors?: readonly string[];
  /** Default: the machine's. */
  readonly architecture?: Architecture;
  /** Default: `pins.ts`. */
  readonly findPin?: (name: string, suite: Suite, architecture: Architecture) => IndexedPackage | undefined;
  /** Default: Debian's. */
  readonly keyring?: string;
  /** Told while packages are fetched, for whoever shows progress. */
  readonly onProgress?: (progress: PackageProgress) => void;
}

/** How far one package is. */
export interface PackageProgress {
  readonly package: string;
  readonly version: string;
  readonly state: "downloading" | "unpacked";
  readonly bytes: number;
  readonly totalBytes: number;
}

/** A package whose files are in the cache. */
export interface UnpackedPackage {
  readonly name: string;
  readonly version: string;
  /** Its files, as they would be below `/`. */
  readonly folder: string;
}

/** Debian packages without installing them: nothing outside of the cache folder changes, no service starts. */
export interface PackageCache {
  readonly folder: string;
  readonly architecture: Architecture;
  /** The version that `unpack` looks for first; undefined when the package is not pinned. */
  pinnedVersion(name: string, suite?: Suite): string | undefined;
  /** Fetches and unpacks what is not in the cache yet. In the order of the names. */
  unpack(
    packages: readonly string[],
    suite?: Suite,
    signal?: AbortSignal,
  ): Promise<readonly UnpackedPackage[]>;
}

/** At the same time; mirrors dislike more. */
const downloadsAtOnce = 6;

/** A cache in a folder that any number of processes may share: a package appears in it whole or not at all. */
export function createPackageCache(options: PackageCacheOptions): PackageCache {
  const architecture = options.architecture ?? machineArchitecture();
  const findPin = options.findPin ?? pinOf;
  const unpacking = new Map<string, Promise<UnpackedPackage>>();
  const { clock, path, keyring } = options;
  const mirrors = createMirrors({ clock, architecture, path, keyring, mirrors: options.mirrors });

  const unpackOne = (name: string, suite: Suite, signal?: AbortSignal): Promise<UnpackedPackage> => {
    const key = `${suite}/${name}`;
    const running = unpacking.get(key);
    if (running !== undefined) return running;
    const work = findOrFetch(name, suite, signal).finally(() => unpacking.delete(key));
    unpacking.set(key, work);
    return work;
  };

  const findOrFetch = async (name: string, suite: Suite, signal?: AbortSignal): Promise<UnpackedPackage> => {
    const pin = findPin(name, suite, architecture);
    if (pin === undefined) {
      throw new PackageError(
        "NOT_FOUND",
        `the package ${name} of ${suite} is not pinned for ${architecture}`,
      );
    }
    const pinned = folderOf(pin, suite);
    if (existsSync(pinned)) return { name, version: pin.version, folder: pinned };
    const file = await fetchFrom(pin, signal);
    if (file !== undefined) return await put(pin, suite, file);
    return (await fetchedBefore(name, suite)) ?? (await fetchNewer(pin, suite, signal));
  };

  const fetchFrom = (wanted: IndexedPackage, signal?: AbortSignal): Promise<Buffer | undefined> =>
    mirrors.fetch(wanted, (bytes) => report(wanted, "downloading", bytes), signal);

  /** The pinned file is gone: suites move. Then the version that the suite has now. */
  const fetchNewer = async (
    pin: IndexedPackage,
    suite: Suite,
    signal?: AbortSignal,
  ): Promise<UnpackedPackage> => {
    const index = await mirrors.index(suite, signal);
    const newer = index.find(pin.name);
    if (newer === undefined) {
      throw new PackageError("NOT_FOUND", `${suite} no longer has the package ${pin.name}`);
    }
    options.logger.warn("Pinned package is gone from the mirror, taking the suite's current one", {
      package: pin.name,
      suite,
      pinned: pin.version,
      taken: newer.version,
      hint: "renew the list: node --conditions=kedge-source cluster/node/src/debian/renew-pins.ts",
    });
    const folder = folderOf(newer, suite);
    if (existsSync(folder)) return { name: newer.name, version: newer.version, folder };
    const file = await fetchFrom(newer, signal);
    if (file === undefined) {
      throw new PackageError("NOT_FOUND", `no mirror has ${newer.path}, which its own index names`, {
        hint: "The mirror is being updated: try again in some minutes.",
      });
    }
    return await put(newer, suite, file);
  };

  /** Another version that took the place of a pinned one in an earlier run. */
  const fetchedBefore = async (name: string, suite: Suite): Promise<UnpackedPackage | undefined> => {
    const names = await readdir(suiteFolder(suite)).catch(() => []);
    const found = names.findLast(
      (entry) => entry.startsWith(`${name}_`) && entry.endsWith(`_${architecture}`),
    );
    if (found === undefined) return undefined;
    const version = decodeURIComponent(found.slice(name.length + 1, -architecture.length - 1));
    return { name, version, folder: join(suiteFolder(suite), found) };
  };

  const put = async (from: IndexedPackage, suite: Suite, file: Buffer): Promise<UnpackedPackage> => {
    const dpkgDeb = findOnPath("dpkg-deb", options.path);
    if (dpkgDeb === undefined) {
      throw new PackageError("UNPACK", `dpkg-deb is not on this machine: ${from.name} cannot be unpacked`);
    }
    const target = folderOf(from, suite);
    await mkdir(suiteFolder(suite), { recursive: true });
    const temporary = await mkdtemp(join(suiteFolder(suite), ".unpacking-"));
    try {
      await writeFile(join(temporary, "deb"), file);
      const args = ["-x", join(temporary, "deb"), join(temporary, "files")];
      await runProgram(dpkgDeb, args, { clock: options.clock, timeoutMs: 120_000 });
      // Another process may have been faster: what it has put there is the same.
      await rename(join(temporary, "files"), target).catch((error: unknown) => {
        if (!existsSync(target)) throw error;
      });
    } catch (error) {
      throw new PackageError("UNPACK", `could not unpack ${from.path}: ${String(error)}`, { cause: error });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
    report(from, "unpacked", from.size);
    return { name: from.name, version: from.version, folder: target };
  };

  const report = (of: IndexedPackage, state: PackageProgress["state"], bytes: number): void => {
    options.onProgress?.({ package: of.name, version: of.version, state, bytes, totalBytes: of.size });
  };

  const suiteFolder = (suite: Suite): string => join(options.folder, "debian", suite);
  // A colon would part the names in an overlay's or a loader's list of folders.
  const folderOf = (of: IndexedPackage, suite: Suite): string =>
    join(suiteFolder(suite), `${of.name}_${of.version.replaceAll(":", "%3A")}_${architecture}`);

  return {
    folder: options.folder,
    architecture,
    pinnedVersion: (name, suite = "bookworm") => findPin(name, suite, architecture)?.version,
    async unpack(packages, suite = "bookworm", signal) {
      const unpacked = new Map<string, UnpackedPackage>();
      const waiting = [...new Set(packages)];
      const work = async (): Promise<void> => {
        for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
          unpacked.set(name, await unpackOne(name, suite, signal));
        }
      };
      await Promise.all(Array.from({ length: downloadsAtOnce }, work));
      return packages.flatMap((name) => unpacked.get(name) ?? []);
    },
  };
}
