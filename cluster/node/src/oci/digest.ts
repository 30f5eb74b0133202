import { createHash } from "node:crypto";

/** Names content by its SHA-256: `sha256:` and 64 hexadecimal digits. */
export type Digest = `sha256:${string}`;

/** Whether a text is a digest of the kind that the store has. */
export function isDigest(text: unknown): text is Digest {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/u.test(text);
}

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array | string): Digest {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A digest as the name of a file. */
export function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}

/** Names a stack of layers by their uncompressed content, as the OCI specification has it. */
export function chainOf(diffIds: readonly Digest[]): Digest {
  const [first, ...rest] = diffIds;
  if (first === undefined) return digestOf("");
  return rest.reduce((chain, diffId) => digestOf(`${chain} ${diffId}`), first);
}
