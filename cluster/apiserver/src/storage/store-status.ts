import { statusFailure } from "@kedge/machinery";
import { StoreError, type StoreErrorCode } from "@kedge/store";

/** What Kubernetes says of its etcd, by what our stores say. */
const texts: Partial<Record<StoreErrorCode, string>> = {
  NO_SPACE: "database space exceeded",
  TOO_LARGE: "etcdserver: request is too large",
  UNAVAILABLE: "the store is not available",
  DENIED: "the store refused the API server",
};

/** A failure of the store as an answer: 500 without a reason, as Kubernetes answers when etcd fails. */
export function statusOfStoreError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const text = texts[error.code];
  if (text === undefined) return error;
  return statusFailure({ message: `${text}: ${error.message}. ${error.hint}`, code: 500, cause: error });
}
