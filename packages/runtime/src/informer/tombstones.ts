import { compareResourceVersions } from "@kedge/machinery";

/** The identity and version of an object. */
interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Tombstone {
  /** What is older than this is hidden; undefined: everything is. */
  readonly resourceVersion: string | undefined;
  readonly namespace: string | undefined;
  readonly mark: number;
}

/** More deletions than this that no watch has shown are not remembered. */
const most = 10_000;

/**
 * The objects that we have deleted ourselves and that the watch may still show for a while. A uid never comes back, so
 * an entry is right for ever; it goes when the watch has shown the deletion.
 */
export class Tombstones {
  readonly #byUid = new Map<string, Tombstone>();
  #mark = 0;

  /** A moment: what is added later is not known to a list that is asked for now. */
  mark(): number {
    return this.#mark;
  }

  add(uid: string, namespace: string | undefined, resourceVersion: string | undefined): void {
    this.#mark++;
    this.#byUid.set(uid, { resourceVersion, namespace, mark: this.#mark });
    if (this.#byUid.size <= most) return;
    const [oldest] = this.#byUid.keys();
    if (oldest !== undefined) this.#byUid.delete(oldest);
  }

  /** Whether this version must not be shown any more. */
  covers(version: Version): boolean {
    const tombstone = this.#byUid.get(version.uid);
    if (tombstone === undefined) return false;
    const { resourceVersion } = tombstone;
    if (resourceVersion === undefined) return true;
    if (compareResourceVersions(version.resourceVersion, resourceVersion) === -1) return true;
    this.#byUid.delete(version.uid);
    return false;
  }

  /** The watch has shown that an object went. */
  confirm(version: Version): void {
    const resourceVersion = this.#byUid.get(version.uid)?.resourceVersion;
    const isOlder =
      resourceVersion !== undefined &&
      compareResourceVersions(version.resourceVersion, resourceVersion) === -1;
    if (!isOlder) this.#byUid.delete(version.uid);
  }

  /** A list of a namespace (or of all) that was asked for at that moment is here: it knows of all deletions before. */
  listed(namespace: string | undefined, mark: number): void {
    for (const [uid, tombstone] of this.#byUid) {
      const isListed = namespace === undefined || tombstone.namespace === namespace;
      if (isListed && tombstone.mark <= mark) this.#byUid.delete(uid);
    }
  }
}
