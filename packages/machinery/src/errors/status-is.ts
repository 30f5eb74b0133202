import { findStatus, statusReasons, type StatusCause, type StatusReason } from "./status.ts";

/** The object does not exist. Like all of these, also true for an error that wraps such an error as its cause. */
export const isNotFound = (error: unknown): boolean => matches(error, "NotFound", 404);

/** An object of this name exists. */
export const isAlreadyExists = (error: unknown): boolean => matches(error, "AlreadyExists");

/** The object has changed since it was read, or another manager owns a field. */
export const isConflict = (error: unknown): boolean => matches(error, "Conflict", 409);

/** The object breaks a rule of its kind. */
export const isInvalid = (error: unknown): boolean => matches(error, "Invalid", 422);

/** The resourceVersion or continue token is too old; servers say it as `Expired` or as `Gone`. */
export const isExpired = (error: unknown): boolean =>
  matches(error, "Expired") || matches(error, "Gone", 410);

/** The request makes no sense to the server. */
export const isBadRequest = (error: unknown): boolean => matches(error, "BadRequest", 400);

/** The server does not know who asks. */
export const isUnauthorized = (error: unknown): boolean => matches(error, "Unauthorized", 401);

/** Who asks may not. */
export const isForbidden = (error: unknown): boolean => matches(error, "Forbidden", 403);

/** The resource has no such verb. */
export const isMethodNotSupported = (error: unknown): boolean => matches(error, "MethodNotAllowed", 405);

/** No media type that the client accepts is served. */
export const isNotAcceptable = (error: unknown): boolean => matches(error, "NotAcceptable", 406);

/** The body is of a media type that the server does not read. */
export const isUnsupportedMediaType = (error: unknown): boolean =>
  matches(error, "UnsupportedMediaType", 415);

/** The server is at fault. */
export const isInternalError = (error: unknown): boolean => matches(error, "InternalError", 500);

/** A passing fault of the server: nothing was done. No HTTP code means this. */
export const isServerTimeout = (error: unknown): boolean => matches(error, "ServerTimeout");

/** The service behind the API is not there. */
export const isServiceUnavailable = (error: unknown): boolean => matches(error, "ServiceUnavailable", 503);

/** Time ran out in the server: what was asked for may still happen. */
export const isTimeout = (error: unknown): boolean => matches(error, "Timeout", 504);

/** The server is overloaded, or (eviction) a budget forbids it for now. A 429 always means this. */
export function isTooManyRequests(error: unknown): boolean {
  return matches(error, "TooManyRequests") || findStatus(error)?.code === 429;
}

/** The body is too big. A 413 always means this. */
export function isRequestEntityTooLarge(error: unknown): boolean {
  return matches(error, "RequestEntityTooLarge") || findStatus(error)?.code === 413;
}

/** The answer was not in the form of an API server's: a proxy in between, perhaps. */
export function isUnexpectedServerError(error: unknown): boolean {
  return findCause(error, "UnexpectedServerResponse") !== undefined;
}

/** The first cause of that type in an error's status. */
export function findCause(error: unknown, type: string): StatusCause | undefined {
  return findStatus(error)?.details?.causes?.find((cause) => cause.reason === type);
}

/** How many seconds the server asks to wait before the next try; undefined when it does not ask. */
export function suggestedDelaySeconds(error: unknown): number | undefined {
  const status = findStatus(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return seconds > 0 || status.reason === "ServerTimeout" ? seconds : undefined;
}

/** A reason that Kubernetes knows speaks for itself; only for others does the HTTP code decide. */
function matches(error: unknown, reason: StatusReason, code?: number): boolean {
  const status = findStatus(error);
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return code !== undefined && status.code === code && !knownReasons.has(status.reason ?? "");
}

const knownReasons: ReadonlySet<string> = new Set(statusReasons);
