import { CodedError } from "@kedge/machinery";

const hints = {
  NO_NETWORK:
    "Check the network, or set a mirror in /etc/apt/sources.list; what is in the cache is used offline.",
  CHECKSUM: "Try again; if it stays so, the mirror is broken or lies: choose another one.",
  NOT_FOUND: "Use a package of the list in cluster/node/src/debian/pins.ts, or renew that list.",
  UNPACK: "Install dpkg (apt-get install dpkg), and see that the cache folder's disk has room.",
  UNVERIFIED: "Install gpgv and debian-archive-keyring, so that the suite's signature can be checked.",
  NO_PROGRAM: "Install the program, or let Kedge fetch it: it needs dpkg-deb and the network.",
} as const;

/** What can go wrong with packages. */
export type PackageErrorCode = keyof typeof hints;

/** The one error of packages: a code to branch on, and a hint of what to do. */
export class PackageError extends CodedError<PackageErrorCode> {
  override readonly name = "PackageError";

  constructor(
    code: PackageErrorCode,
    message: string,
    options: ErrorOptions & { readonly hint?: string } = {},
  ) {
    super(code, message, { ...options, hint: options.hint ?? hints[code] });
  }
}
