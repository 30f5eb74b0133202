import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Clock } from "@kedge/machinery";
import { runProgram } from "@kedge/network/run-program";
import { findInPackages, sumInRelease, type IndexedPackage } from "./control-stanza.ts";
import { download } from "./download.ts";
import { findOnPath } from "./find-on-path.ts";
import { PackageError } from "./package-error.ts";
import type { Suite } from "./package-lists.ts";

/** Whose index is read, and how. */
export interface IndexOptions {
  readonly mirror: string;
  readonly suite: Suite;
  readonly architecture: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Default: the keyring that Debian installs. */
  readonly keyring?: string | undefined;
  /** Folders to look for `gpgv` in. */
  readonly path: string;
}

/** Finds packages in a suite as it is now. */
export interface PackageIndex {
  find(name: string): IndexedPackage | undefined;
}

const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Reads the index of a suite: its `InRelease` must be signed by Debian, and the index must have the sum that it names.
 */
export async function readPackageIndex(options: IndexOptions): Promise<PackageIndex> {
  const { mirror, suite, architecture, clock, signal } = options;
  const release = await verifiedRelease(options);
  const path = `main/binary-${architecture}/Packages.gz`;
  const sha256 = sumInRelease(release, path);
  if (sha256 === undefined) {
    throw new PackageError("NOT_FOUND", `the Release file of ${suite} at ${mirror} does not name ${path}`);
  }
  // By its sum: a mirror that is being updated still has the index that belongs to this release.
  const folder = `${mirror}/dists/${suite}/main/binary-${architecture}`;
  const packed =
    (await download(`${folder}/by-hash/SHA256/${sha256}`, { clock, signal, sha256 })) ??
    (await download(`${folder}/Packages.gz`, { clock, signal, sha256 }));
  if (packed === undefined) throw new PackageError("NOT_FOUND", `${folder}/Packages.gz does not exist`);
  const text = (await clock.track(promisify(gunzip)(packed))).toString("utf8");
  return { find: (name) => findInPackages(text, name) };
}

async function verifiedRelease(options: IndexOptions): Promise<string> {
  const { mirror, suite, clock, signal, keyring = debianKeyring } = options;
  const url = `${mirror}/dists/${suite}/InRelease`;
  const signed = await download(url, { clock, signal });
  if (signed === undefined) throw new PackageError("NOT_FOUND", `${url} does not exist`);
  const gpgv = findOnPath("gpgv", options.path);
  if (gpgv === undefined || !existsSync(keyring)) {
    throw new PackageError("UNVERIFIED", `the signature of ${url} cannot be checked on this machine`);
  }
  const sum = createHash("sha256").update(signed).digest("hex");
  const folder = await mkdtemp(join(tmpdir(), `kedge-release-${sum.slice(0, 8)}-`));
  try {
    const file = join(folder, "InRelease");
    await writeFile(file, signed);
    // What it prints is the signed text alone, so nothing outside of the signature is believed.
    const args = ["--keyring", keyring, "--output", "-", file];
    const { exitCode, stdout, stderr } = await runProgram(gpgv, args, { clock, signal, mayFail: true });
    if (exitCode === 0) return stdout;
    throw new PackageError("UNVERIFIED", `Debian's signature of ${url} does not hold: ${stderr.trim()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
