import { StatusError, type StatusDetails, type StatusReason } from "./status.ts";

/** A resource as messages name it: `pods`, `deployments.apps`. Every kind descriptor is one. */
export interface GroupResource {
  readonly group: string;
  /** The plural, with a subresource where one is meant: `pods/exec`. */
  readonly plural: string;
}

/** What an error is made of. */
export interface StatusFailure {
  readonly code: number;
  /** Absent where Kubernetes gives none. */
  readonly reason?: StatusReason;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly cause?: unknown;
}

/** Builds the error with its fields in the order in which Kubernetes writes them, and empty ones left out. */
export function statusFailure({ code, reason = "", message, details, cause }: StatusFailure): StatusError {
  return new StatusError(
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      ...(message !== "" && { message }),
      ...(reason !== "" && { reason }),
      ...(details !== undefined && { details: withoutEmpty(details) }),
      code,
    },
    cause === undefined ? undefined : { cause },
  );
}

/** `pods`, `deployments.apps`. */
export function resourceText({ group, plural }: GroupResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Details about one object; Kubernetes gives the resource as the kind. */
export function about(resource: GroupResource, name: string): StatusDetails {
  return { name, group: resource.group, kind: resource.plural };
}

function withoutEmpty(details: StatusDetails): StatusDetails {
  const { name = "", group = "", kind = "", causes = [], retryAfterSeconds = 0 } = details;
  return {
    ...(name !== "" && { name }),
    ...(group !== "" && { group }),
    ...(kind !== "" && { kind }),
    ...(causes.length > 0 && { causes }),
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  };
}
