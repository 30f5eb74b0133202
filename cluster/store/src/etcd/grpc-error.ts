/** gRPC's numbers of those failures that we tell apart. */
export const grpcCodes = {
  deadlineExceeded: 4,
  unavailable: 14,
} as const;

/** A call that failed: by its answer, or on its way. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  /** gRPC's number. */
  readonly code: number;
  /** Whether the member may have begun with it: what changes something is not sent again. */
  readonly mayHaveHappened: boolean;

  constructor(code: number, message: string, options: ErrorOptions & { readonly mayHaveHappened: boolean }) {
    super(message, options);
    this.code = code;
    this.mayHaveHappened = options.mayHaveHappened;
  }
}
