import { fieldErrorBody, type FieldError } from "./field-error.ts";
import { goQuote } from "../go/go-quote.ts";
import { about, resourceText, statusFailure, type GroupResource } from "./status-failure.ts";
import type { StatusCause, StatusError } from "./status.ts";

/** A kind as messages name it: `Pod`, `Deployment.apps`. Every kind descriptor is one. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** 404: there is no such object. */
export function notFound(resource: GroupResource, name: string): StatusError {
  const message = `${resourceText(resource)} ${goQuote(name)} not found`;
  return statusFailure({ code: 404, reason: "NotFound", message, details: about(resource, name) });
}

/** 409: there is an object of this name already. */
export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${resourceText(resource)} ${goQuote(name)} already exists`;
  return statusFailure({ code: 409, reason: "AlreadyExists", message, details: about(resource, name) });
}

/** 409: no free name was found for `generateName`. */
export function generateNameConflict(
  resource: GroupResource,
  name: string,
  retryAfterSeconds: number,
): StatusError {
  const message = `${resourceText(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`;
  return statusFailure({
    code: 409,
    reason: "AlreadyExists",
    message,
    details: { ...about(resource, name), retryAfterSeconds },
  });
}

/** 409: the object is not what the writer thought it was; by default, because its resourceVersion is another. */
export function conflict(resource: GroupResource, name: string, why: string = modified): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceText(resource)} ${goQuote(name)}: ${why}`;
  return statusFailure({ code: 409, reason: "Conflict", message, details: about(resource, name) });
}

/** 409: fields of an apply belong to another manager. */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return statusFailure({ code: 409, reason: "Conflict", message, details: { causes } });
}

/** So many complaints about an object are told, and so many characters of them. Kubernetes tells all. */
const mostComplaints = 1000;
const mostComplaintText = 1024 * 1024;

/** 422: the object breaks rules, all of which are listed; of very many the first. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const subject = `${kindText(kind)} ${goQuote(name)} is invalid`;
  const causes: StatusCause[] = [];
  let told = 0;
  for (const error of errors) {
    if (causes.length >= mostComplaints || told > mostComplaintText) break;
    const cause = { reason: error.type, message: fieldErrorBody(error), field: error.field };
    told += cause.message.length;
    causes.push(cause);
  }
  const left = errors.length - causes.length;
  const texts = [...new Set(causes.map((cause) => `${cause.field}: ${cause.message}`))];
  if (left > 0) texts.push(`and ${left} more`);
  const list = texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
  const message = errors.length === 0 ? subject : `${subject}: ${list}`;
  return statusFailure({
    code: 422,
    reason: "Invalid",
    message,
    details: { name, group: kind.group, kind: kind.kind, causes },
  });
}

/** 400: the request itself makes no sense. */
export function badRequest(message: string): StatusError {
  return statusFailure({ code: 400, reason: "BadRequest", message });
}

/** 401: the server does not know who asks. */
export function unauthorized(message = "not authorized"): StatusError {
  return statusFailure({ code: 401, reason: "Unauthorized", message });
}

/** 403: the server knows who asks, and refuses. `name` may be empty. */
export function forbidden(resource: GroupResource | undefined, name: string, why: string): StatusError {
  if (resource === undefined)
    return statusFailure({ code: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: { name } });
  const subject = name === "" ? resourceText(resource) : `${resourceText(resource)} ${goQuote(name)}`;
  const message = `${subject} is forbidden: ${why}`;
  return statusFailure({ code: 403, reason: "Forbidden", message, details: about(resource, name) });
}

/** 405: the resource has no such verb. */
export function methodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${goQuote(resourceText(resource))}`;
  return statusFailure({ code: 405, reason: "MethodNotAllowed", message, details: about(resource, "") });
}

/** 406: none of the media types that the client accepts is served. */
export function notAcceptable(served: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${served.join(", ")}`;
  return statusFailure({ code: 406, reason: "NotAcceptable", message });
}

/** 415: the body is of a media type that is not read. */
export function unsupportedMediaType(read: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${read.join(", ")}`;
  return statusFailure({ code: 415, reason: "UnsupportedMediaType", message });
}

/** 410: gone for good. For resource versions that are too old Kubernetes says `expired`. */
export function gone(message: string): StatusError {
  return statusFailure({ code: 410, reason: "Gone", message });
}

/** 410: the resourceVersion or continue token is too old: list anew. */
export function expired(message: string): StatusError {
  return statusFailure({ code: 410, reason: "Expired", message });
}

/** 413: the request's body is too big. */
export function requestEntityTooLarge(message: string): StatusError {
  return statusFailure({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: ${message}`,
  });
}

/** 429: come back later. */
export function tooManyRequests(message: string, retryAfterSeconds = 0): StatusError {
  return statusFailure({ code: 429, reason: "TooManyRequests", message, details: { retryAfterSeconds } });
}

/** 500: the server is at fault. */
export function internalError(error: Error): StatusError {
  const message = `Internal error occurred: ${error.message}`;
  const details = { causes: [{ message: error.message }] };
  return statusFailure({ code: 500, reason: "InternalError", message, details, cause: error });
}

/** 500: a passing fault; nothing was done, try again. */
export function serverTimeout(
  resource: GroupResource,
  operation: string,
  retryAfterSeconds: number,
): StatusError {
  const message = `The ${operation} operation against ${resourceText(resource)} could not be completed at this time, please try again.`;
  return statusFailure({
    code: 500,
    reason: "ServerTimeout",
    message,
    details: { ...about(resource, operation), retryAfterSeconds },
  });
}

/** 503: the service behind the API is not there. */
export function serviceUnavailable(message: string): StatusError {
  return statusFailure({ code: 503, reason: "ServiceUnavailable", message });
}

/** 504: time ran out; what was asked for may still happen. */
export function timeout(message: string, retryAfterSeconds = 0): StatusError {
  return statusFailure({
    code: 504,
    reason: "Timeout",
    message: `Timeout: ${message}`,
    details: { retryAfterSeconds },
  });
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

function kindText({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}
