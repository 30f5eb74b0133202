/**
 * Thrown by a reconcile when trying again is of no use until something changes: a spec that cannot be, a name that is
 * taken. The object is looked at again with its next change.
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}
