/** Why a JSON patch was refused. */
export type JsonPatchFailure = "TestFailed" | "Missing" | "InvalidIndex" | "Malformed" | "TooLarge";

/** A JSON patch that does not apply. Its message is that of the library in kube-apiserver. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
  readonly reason: JsonPatchFailure;

  constructor(reason: JsonPatchFailure, message: string) {
    super(message);
    this.reason = reason;
  }

  /** The same failure with the operation's words before it. */
  within(context: string): JsonPatchError {
    return new JsonPatchError(this.reason, `${context}: ${this.message}`);
  }
}
