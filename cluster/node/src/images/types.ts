import type { Collected } from "../oci/collect-images.ts";
import type { Digest } from "../oci/digest.ts";
import type { KnownImage } from "../oci/image-record.ts";
import type { RegistryCredential } from "../oci/registry/docker-config.ts";

/** A root file system with its defaults, ready to be run. */
export interface ResolvedImage {
  /** As the pod named it. */
  readonly name: string;
  /** Shown as `imageID`: `repository@sha256:…` where a registry has it, else `sha256:…` of its configuration. */
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
  /** How it wants to be stopped. Absent: SIGTERM. */
  readonly stopSignal?: string;
  /** Folders that can be written to even when the rest cannot. */
  readonly volumes?: readonly string[];
  /** Which image of the store it is. Absent: it is none. */
  readonly stored?: { readonly id: Digest; readonly chain: Digest; readonly size: number };
}

/** How an image is looked for. */
export interface ResolveOptions {
  readonly signal?: AbortSignal | undefined;
  /** `Always` asks the registry also when the image is here; `Never` asks nobody. Default: `IfNotPresent`. */
  readonly policy?: string | undefined;
  /** Who one is at registries; asked for only when one is asked. */
  readonly credentials?: () => Promise<readonly RegistryCredential[]>;
  /** Called when it is not here, or not surely the newest, and is brought now. */
  readonly onBring?: () => void;
}

/** Finds images. */
export interface ImageStore {
  /** Rejects with an `ImageError` that says what was looked for and how to bring it. Calls for one image share the work. */
  resolve(name: string, options?: ResolveOptions): Promise<ResolvedImage>;
  /** Whether it is here already. */
  has(name: string): Promise<boolean>;
  /** Says that a container is about to stand on it; false: it was removed meanwhile, and must be resolved again. */
  hold(image: ResolvedImage, container: { readonly id: string; readonly folder: string }): Promise<boolean>;
  /** The container is gone. */
  release(containerId: string): Promise<void>;
  /** What is on this machine. */
  list(): Promise<readonly KnownImage[]>;
  /** Removes images that nobody uses while the disk is too full. */
  collect(): Promise<Collected>;
}
