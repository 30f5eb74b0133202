import { messageOf, OwnershipError, StatusError } from "@kedge/machinery";
import { ClientError } from "@kedge/client";

/** Why a run could not do what was planned. */
export interface Failure {
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/**
 * What an error says about the object that was reconciled; undefined when it says nothing: the server was busy or could not be reached,
 * or somebody else was quicker. The next try will tell.
 */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ClientError) return undefined;
  if (error instanceof StatusError) {
    const { code, reason } = error;
    if (code >= 500 || code === 429 || code === 409) return undefined;
    return { reason: reason ?? "Refused", message: error.message };
  }
  if (error instanceof OwnershipError) return { reason: "NameTaken", message: error.message };
  return { reason: "ReconcileFailed", message: messageOf(error) };
}
