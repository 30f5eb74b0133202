/** What keeps the values of some kinds from being read on the disk. */
export interface EncryptionConfig {
  /** The first entry that names a kind counts. */
  readonly entries: readonly EncryptionEntry[];
}

/** How the values of some kinds are written and read. */
export interface EncryptionEntry {
  /** As in Kubernetes: `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  /** The first writes; all read. */
  readonly providers: readonly Provider[];
}

/** One way of writing values. */
export type Provider = { readonly type: "identity" } | AesGcmKey;

/** A key of AES-GCM with 16, 24 or 32 bytes. */
export interface AesGcmKey {
  readonly type: "aesgcm";
  readonly name: string;
  readonly secret: Uint8Array;
}
