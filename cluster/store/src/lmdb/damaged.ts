import { StoreError } from "../store-error.ts";

/** What is said of bytes as they were before there were checksums. */
export const ofEarlierVersion =
  "has no checksum, as in stores of the first versions of Kedge, which are not read";

/** What is said of a file that cannot be trusted: which, why, and the way out. */
export function damaged(path: string, what: string, cause?: unknown): StoreError {
  const error = new StoreError("DAMAGED", "", { cause });
  error.message = `${path} is damaged: ${what}. ${error.hint}`;
  return error;
}
