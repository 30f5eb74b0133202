import type { Clock } from "@kedge/machinery";
import { aptMirror } from "./apt-sources.ts";
import type { Architecture } from "./architecture.ts";
import type { IndexedPackage } from "./control-stanza.ts";
import { download } from "./download.ts";
import { PackageError } from "./package-error.ts";
import { readPackageIndex, type PackageIndex } from "./package-index.ts";
import type { Suite } from "./package-lists.ts";

/** What mirrors are used with. */
export interface MirrorOptions {
  readonly clock: Clock;
  readonly architecture: Architecture;
  readonly path: string;
  readonly mirrors?: readonly string[] | undefined;
  readonly keyring?: string | undefined;
}

/** Debian's files, from whichever mirror has them. */
export interface Mirrors {
  /** Undefined: every mirror says that there is no such file (any more). */
  fetch(
    wanted: IndexedPackage,
    onBytes: (soFar: number) => void,
    signal?: AbortSignal,
  ): Promise<Buffer | undefined>;
  /** A suite as it is now, read once. */
  index(suite: Suite, signal?: AbortSignal): Promise<PackageIndex>;
}

/** Where packages are when the machine's own mirror has not got them. */
const debianMirror = "https://deb.debian.org/debian";

/** Mirrors that are tried one after the other. */
export function createMirrors(options: MirrorOptions): Mirrors {
  const { clock, architecture, path, keyring } = options;
  const indexes = new Map<Suite, Promise<PackageIndex>>();
  let found: Promise<readonly string[]> | undefined;
  const mirrors = (): Promise<readonly string[]> => {
    found ??= options.mirrors === undefined ? machineMirrors() : Promise.resolve(options.mirrors);
    return found;
  };

  const read = async (suite: Suite, signal?: AbortSignal): Promise<PackageIndex> => {
    let failure: unknown = new PackageError("NO_NETWORK", "no mirror is configured");
    for (const mirror of await mirrors()) {
      try {
        return await readPackageIndex({ mirror, suite, architecture, clock, signal, path, keyring });
      } catch (error) {
        signal?.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  };

  return {
    async fetch(wanted, onBytes, signal) {
      const failures: unknown[] = [];
      for (const mirror of await mirrors()) {
        let soFar = 0;
        const tell = (bytes: number): void => onBytes((soFar += bytes));
        try {
          const request = { clock, signal, sha256: wanted.sha256, onBytes: tell };
          const file = await download(`${mirror}/${wanted.path}`, request);
          if (file !== undefined) return file;
        } catch (error) {
          signal?.throwIfAborted();
          failures.push(error);
        }
      }
      // A mirror that did not answer may have it: only when all say that it is gone, it is.
      for (const failure of failures) throw failure;
      return undefined;
    },
    index(suite, signal) {
      const known = indexes.get(suite);
      if (known !== undefined) return known;
      const reading = read(suite, signal);
      indexes.set(suite, reading);
      reading.catch(() => indexes.delete(suite));
      return reading;
    },
  };
}

async function machineMirrors(): Promise<readonly string[]> {
  const own = await aptMirror();
  return own === undefined || own === "http://deb.debian.org/debian" ? [debianMirror] : [own, debianMirror];
}
