import type { SnapshotSummary } from "@kedge/store";

/** A snapshot in one line. */
export function summaryText({ revision, keys, hash }: SnapshotSummary): string {
  return `revision ${revision}, ${keys} objects, checksum ${hash.slice(0, 16)}`;
}
