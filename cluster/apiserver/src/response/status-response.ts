import {
  statusFailure,
  statusOf,
  type ApiResponse,
  type StatusError,
  type StatusReason,
} from "@kedge/machinery";
import type { Form } from "../request/negotiate.ts";
import { encodedResponse } from "./encode.ts";

/** Answers with an error. */
export function errorResponse(error: unknown, form: Pick<Form, "encoding" | "pretty">): ApiResponse {
  const status = statusOf(error);
  const { retryAfterSeconds = 0 } = status.details ?? {};
  const headers = retryAfterSeconds > 0 ? { "retry-after": String(retryAfterSeconds) } : {};
  return encodedResponse(status.code ?? 500, { value: status }, form, headers);
}

/** 404: no such resource in a group version that is served. */
export function noSuchResource(): StatusError {
  return routerError(404, "NotFound", "the server could not find the requested resource");
}

/** 405: the resource is there, but not for this method. */
export function noSuchMethod(): StatusError {
  return routerError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
  );
}

function routerError(code: number, reason: StatusReason, message: string): StatusError {
  return statusFailure({ message, reason, details: {}, code });
}
