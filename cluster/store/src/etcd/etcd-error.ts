import { StoreError, type StoreErrorCode } from "../store-error.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";

/** What etcd says, and what that is in a store. */
const meanings: readonly (readonly [RegExp, StoreErrorCode])[] = [
  [/required revision has been compacted/u, "COMPACTED"],
  [/required revision is a future revision/u, "FUTURE_REVISION"],
  [/duplicate key given in txn request/u, "DUPLICATE_KEY"],
  [/requested lease not found/u, "LEASE_NOT_FOUND"],
  [/database space exceeded/u, "NO_SPACE"],
  [/request is too large|too many operations in txn request|larger than max/u, "TOO_LARGE"],
  [/permission denied|user name is empty|invalid auth token|authentication failed/u, "DENIED"],
];

/** A failed call as the error of a store. `what` was to be done. */
export function storeErrorOf(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const known = meanings.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return new StoreError(known[1], `${what}: ${text}`, { cause: error });
  const isAway =
    error instanceof GrpcError &&
    (error.code === grpcCodes.unavailable || error.code === grpcCodes.deadlineExceeded);
  return new StoreError(isAway ? "UNAVAILABLE" : "FAILED", `${what}: ${text}`, { cause: error });
}
