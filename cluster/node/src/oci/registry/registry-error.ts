/** A registry that does not give what it was asked for. Secrets are in no message. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  /** Its answer; undefined: it did not answer. */
  readonly status: number | undefined;
  /** Whether another attempt may do better. */
  readonly passes: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly status?: number | undefined; readonly passes: boolean },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status;
    this.passes = options.passes;
  }
}
