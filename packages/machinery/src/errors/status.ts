import { messageOf } from "./message-of.ts";
import type { ListMeta, Uid } from "../objects/metadata.ts";

/** Every reason that Kubernetes itself gives. */
export const statusReasons = [
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StorageReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
] as const;

/** A reason of Kubernetes'; "" when it gives none. */
export type StatusReason = "" | (typeof statusReasons)[number];

/** Any text, without losing the completion of the known ones beside it. */
type OtherText = string & Record<never, never>;

/** One of several things that were wrong. */
export interface StatusCause {
  /** A `FieldErrorType`, or a type of the server's: `UnexpectedServerResponse`, `FieldManagerConflict`, … */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The field's path, `spec.containers[0].name`; empty when the cause is not about a field. */
  readonly field?: string | undefined;
}

/** What a `Status` is about. */
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  /** The kind, and in most answers in truth the resource: `pods`. */
  readonly kind?: string | undefined;
  readonly uid?: Uid | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** How an API server says that something failed, or (after a deletion) succeeded. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: ListMeta;
  readonly status?: "Success" | "Failure" | undefined;
  readonly message?: string | undefined;
  readonly reason?: StatusReason | OtherText | undefined;
  readonly details?: StatusDetails | undefined;
  /** The HTTP status code. */
  readonly code?: number | undefined;
}

/** A failure with the `Status` that tells of it. Its message is the status's. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? "", options);
    this.status = status;
  }

  /** The HTTP status code, 0 when unknown. */
  get code(): number {
    return this.status.code ?? 0;
  }

  /** Why, as one word; "" when unknown. */
  get reason(): StatusReason | OtherText {
    return this.status.reason ?? "";
  }

  get details(): StatusDetails | undefined {
    return this.status.details;
  }

  /** How long the server asks to wait before the next try. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

/** Whether a value that came over the wire is a `Status`. */
export function isStatus(value: unknown): value is Status {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "Status" &&
    "apiVersion" in value &&
    (value.apiVersion === "v1" || value.apiVersion === "meta.k8s.io/v1")
  );
}

/** The status of a `StatusError`, or of the first one among the causes that an error wraps. */
export function findStatus(error: unknown): Status | undefined {
  const seen = new Set<unknown>();
  let current = error;
  while (current instanceof Error && !seen.has(current)) {
    if (current instanceof StatusError) return current.status;
    seen.add(current);
    current = current.cause;
  }
  return undefined;
}

/** The status that a server answers for any error: its own, or else a 500 with its message. */
export function statusOf(error: unknown): Status {
  return (
    findStatus(error) ?? {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: messageOf(error),
      code: 500,
    }
  );
}
