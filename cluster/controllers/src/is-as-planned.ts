import type { Uid } from "@kedge/machinery";

/** What tells whether an object is the one that was planned for. */
export interface PlannedFor {
  readonly metadata: {
    readonly uid: Uid;
    readonly generation?: number | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
}

/**
 * Whether a run may go on by its plan: its object is still the one that the plan was made from, it is not being deleted
 * and its spec is the same, by the newest that the cache knows; and the run has not been given up. A run that makes many
 * things asks before each batch of them: what it makes after its object has gone is nobody's. Whatever has changed brings the
 * next run.
 */
export function isAsPlanned(
  planned: PlannedFor,
  { newest, signal }: { readonly newest: PlannedFor | undefined; readonly signal: AbortSignal },
): boolean {
  const { uid, generation, deletionTimestamp } = planned.metadata;
  return (
    !signal.aborted &&
    newest?.metadata.uid === uid &&
    newest.metadata.generation === generation &&
    newest.metadata.deletionTimestamp === deletionTimestamp
  );
}
