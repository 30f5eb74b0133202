/** The flags of `kedge snapshot save` and `restore`. */
export interface SnapshotFlags {
  readonly dir: string;
}

/** The flags of `kedge snapshot status`. */
export interface SnapshotStatusFlags {
  readonly output: "text" | "json";
}
