import {
  findCause,
  isAlreadyExists,
  isConflict,
  isNotFound,
  OwnershipError,
  StatusError,
} from "@kedge/machinery";

/** A failure that is no fault of the program: its text says all, and a stack would say nothing more. */
export interface Expectation {
  readonly level: "info" | "warn";
  readonly what: string;
}

/** A wish that cannot be met as things are. Who wished has been told; the run is tried again, and no stack is logged. */
export class UnmetWishError extends Error {
  override readonly name = "UnmetWishError";
}

/** What kind of failure that happens in a healthy cluster this is; undefined: none, somebody should look at it. */
export function expectation(error: unknown): Expectation | undefined {
  if (isConflict(error) || isAlreadyExists(error)) {
    return { level: "info", what: "Somebody else was quicker" };
  }
  if (isNotFound(error)) return { level: "info", what: "Something is gone" };
  if (findCause(error, "NamespaceTerminating") !== undefined) {
    return { level: "info", what: "The namespace is being deleted" };
  }
  if (error instanceof UnmetWishError) return { level: "warn", what: "A wish cannot be met" };
  if (error instanceof OwnershipError) return { level: "warn", what: "A name is taken" };
  if (error instanceof StatusError && error.code < 500)
    return { level: "warn", what: "The API server refused" };
  return undefined;
}
