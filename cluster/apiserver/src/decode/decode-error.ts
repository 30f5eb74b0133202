/** A body that cannot be decoded, in Go's words. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}
