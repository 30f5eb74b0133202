/** The object in a protobuf body, as the JSON that a client would have sent instead. */
export interface DecodedProtobuf {
  readonly apiVersion: string;
  readonly kind: string;
  /** With `apiVersion` and `kind` in it. Belongs to the caller. */
  readonly object: Record<string, unknown>;
}
