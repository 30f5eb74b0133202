import type { Suite } from "../debian/package-lists.ts";

/** How an image is made of Debian packages. */
export interface Recipe {
  readonly repository: string;
  readonly suite: Suite;
  readonly packages: readonly string[];
  /** The package whose version the tag has to match, or the version itself where the image is our own. */
  readonly version: { readonly package: string } | { readonly fixed: string };
  /** Whether `latest` means this one. */
  readonly latest?: true;
  readonly users: readonly ImageUser[];
  /** Folders of these users. */
  readonly folders: readonly { readonly path: string; readonly owner: string }[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly user: string;
}

/** An account of an image, with a group of the same name and number. */
export interface ImageUser {
  readonly name: string;
  readonly id: number;
  readonly home: string;
}
