import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import { whileLocked } from "@kedge/network/lock-open-file";
import { hexOf, type Digest } from "./digest.ts";

/** Where the parts of an image store lie. */
export interface StoreFolder {
  readonly root: string;
  /** Content by its digest, whole and checked. */
  readonly blobs: string;
  /** A file for each name of an image. */
  readonly names: string;
  /** Unpacked images, by the digest of their stack of layers. */
  readonly roots: string;
  /** Which containers use which of them. */
  readonly uses: string;
  /** What is being brought. */
  readonly incoming: string;
  /** What is being deleted. */
  readonly trash: string;
  blob(digest: Digest): string;
  /**
   * Runs alone among all processes that share the store. What takes long is done before or after: only `taking` and
   * removing images need it.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The same for the work on one thing, such as the pull of an image. */
  aloneWith<T>(subject: Digest, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Longer than this nobody holds the store. */
const patienceMs = 120_000;

/** Opens the folder, and makes what is missing. */
export async function openStoreFolder(root: string, clock: Clock): Promise<StoreFolder> {
  const folder = (name: string): string => join(root, name);
  const blobs = join(root, "blobs", "sha256");
  const [names, roots, uses, incoming, trash, locks] = [
    folder("names"),
    folder("roots"),
    folder("uses"),
    folder("incoming"),
    folder("trash"),
    folder("locks"),
  ];
  // Images may hold what is not for everybody's eyes.
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const part of [blobs, names, roots, uses, incoming, trash, locks]) {
    await mkdir(part, { recursive: true, mode: 0o700 });
  }
  return {
    root,
    blobs,
    names,
    roots,
    uses,
    incoming,
    trash,
    blob: (digest) => join(blobs, hexOf(digest)),
    async alone(work) {
      using limit = clock.deadline(patienceMs);
      return await whileLocked(join(locks, "store"), work, limit.signal);
    },
    // A few files are enough; two subjects that share one only wait for each other.
    aloneWith: (subject, work, signal = new AbortController().signal) =>
      whileLocked(join(locks, hexOf(subject).slice(0, 1)), work, signal),
  };
}
