/** An error with a code to branch on, and a hint of what to do. Each package has one class of its own that extends it. */
export class CodedError<Code extends string, Hint extends string | undefined = string> extends Error {
  readonly code: Code;
  readonly hint: Hint;

  constructor(code: Code, message: string, options: ErrorOptions & { readonly hint: Hint }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}
