import { CodedError } from "@kedge/machinery";

const hints = {
  COMPACTED: "Read the newest state, and watch from the revision after it.",
  FUTURE_REVISION: "Ask for a revision that this store has answered, or for none to get the newest.",
  DUPLICATE_KEY: "Write each key once in a transaction.",
  LEASE_NOT_FOUND: "Grant a new lease, and put the keys again.",
  INVALID: "Correct the call.",
  IN_USE: "Stop the other process, or choose another folder.",
  NO_SPACE: "Make room on the disk, then write again: what was acknowledged is there and can be read.",
  TOO_LARGE: "Write less at once. Etcd takes 1.5 MiB and 128 keys unless it was started with other limits.",
  UNAVAILABLE:
    "Try again when a majority of the etcd members runs and can be reached: what was acknowledged is there. A write that was under way may have happened.",
  DENIED: "Give the certificate of a user who may read and write these keys.",
  FAILED: "Look at the disk, then write again or open the store again: what was acknowledged is there.",
  DAMAGED:
    "Nothing was changed. Put back a copy of the folder, or move the folder away to begin with an empty store.",
  CLOSED: "Open the store again.",
} as const;

/** What can go wrong in a store. */
export type StoreErrorCode = keyof typeof hints;

/** The one error of stores: a code to branch on, and a hint of what to do. */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = "StoreError";

  constructor(code: StoreErrorCode, message: string, options: ErrorOptions = {}) {
    super(code, message, { ...options, hint: hints[code] });
  }
}
