import {
  badRequest,
  internalError,
  isJsonList,
  isJsonObject,
  StatusError,
  uid,
  type JsonObject,
  type StatusCause,
  type StatusDetails,
} from "@kedge/machinery";

/** Thrown when a webhook cannot be asked or says nothing useful: its failure policy decides. */
export class HookFailure extends Error {
  constructor(webhook: string, why: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`, { cause });
  }

  /** What the sender of the request is told when the policy is Fail. */
  get status(): StatusError {
    return internalError(this);
  }
}

/** 400: the webhook may do something that cannot be undone. */
export function noDryRun(webhook: string): StatusError {
  return badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}

/** What a webhook says that refuses, as an answer: an error with its name, whatever it says. */
export function rejection(webhook: string, result: JsonObject | undefined): StatusError {
  const { code, message, reason, details } = result ?? {};
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const said = [message, reason].find((text) => typeof text === "string" && text !== "");
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: typeof said === "string" ? `${denied}: ${said}` : `${denied} without explanation`,
    ...(typeof reason === "string" && reason !== "" && { reason }),
    ...(isJsonObject(details) && { details: detailsOf(details) }),
    code: typeof code === "number" && code >= 400 && code <= 599 ? Math.floor(code) : 400,
  });
}

/** What a Status can tell of what it is about. */
function detailsOf(details: JsonObject): StatusDetails {
  const { name, group, kind, uid: id, causes, retryAfterSeconds } = details;
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof group === "string" && { group }),
    ...(typeof kind === "string" && { kind }),
    ...(typeof id === "string" && { uid: uid(id) }),
    ...(isJsonList(causes) && { causes: causes.filter(isJsonObject).map(causeOf) }),
    ...(typeof retryAfterSeconds === "number" && { retryAfterSeconds }),
  };
}

function causeOf({ reason, message, field }: JsonObject): StatusCause {
  return {
    ...(typeof reason === "string" && { reason }),
    ...(typeof message === "string" && { message }),
    ...(typeof field === "string" && { field }),
  };
}
