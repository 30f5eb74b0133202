/** A container could not be started. `reason` is the waiting reason of its status. */
export class StartError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StartError";
    this.reason = reason;
  }
}
