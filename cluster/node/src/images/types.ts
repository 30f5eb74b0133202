/** A root file system with its defaults, ready to be run. */
export interface ResolvedImage {
  /** As the pod named it. */
  readonly name: string;
  /** `sha256:…` of what it is made of; shown as `imageID`. */
  readonly id: string;
  /** Where it came from, in words for the pod's events: `assembled from Debian's redis-server 5:7.0.15-1~deb12u1`. */
  readonly origin: string;
  /** Read-only folders, the uppermost first: lower directories of an overlay. */
  readonly layers: readonly string[];
  /** Folders of this machine that the image shows inside, read-only: what a host image is made of. */
  readonly mounts?: readonly { readonly source: string; readonly target: string; readonly readOnly: true }[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** User as the image says it: `redis`, `999`, `999:999` or empty for root. */
  readonly user: string;
}

/** Finds images. */
export interface ImageStore {
  /** Rejects with an `ImageError` that says what was looked for and how to bring it. Calls for one image share the work. */
  resolve(name: string, signal?: AbortSignal): Promise<ResolvedImage>;
  /** Whether it is here already. */
  has(name: string): Promise<boolean>;
}
