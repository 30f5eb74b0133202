import { describe, expect, test } from "vitest";
import { serverTimeout, tooManyRequests } from "./status-errors.ts";
import * as predicates from "./status-is.ts";
import { StatusError, statusReasons, type Status, type StatusReason } from "./status.ts";

const { findCause, suggestedDelaySeconds, ...is } = predicates;

function failed(reason: string, code: number): StatusError {
  const status: Status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, code };
  return new StatusError(status);
}

function trueFor(error: unknown): string[] {
  return Object.entries(is)
    .filter(([, predicate]) => predicate(error))
    .map(([name]) => name)
    .toSorted();
}

describe("a reason is known by its one predicate", () => {
  test.each<[StatusReason, string]>([
    ["NotFound", "isNotFound"],
    ["AlreadyExists", "isAlreadyExists"],
    ["Conflict", "isConflict"],
    ["Invalid", "isInvalid"],
    ["Expired", "isExpired"],
    ["Gone", "isExpired"],
    ["BadRequest", "isBadRequest"],
    ["Unauthorized", "isUnauthorized"],
    ["Forbidden", "isForbidden"],
    ["MethodNotAllowed", "isMethodNotSupported"],
    ["NotAcceptable", "isNotAcceptable"],
    ["UnsupportedMediaType", "isUnsupportedMediaType"],
    ["InternalError", "isInternalError"],
    ["ServerTimeout", "isServerTimeout"],
    ["ServiceUnavailable", "isServiceUnavailable"],
    ["Timeout", "isTimeout"],
    ["TooManyRequests", "isTooManyRequests"],
    ["RequestEntityTooLarge", "isRequestEntityTooLarge"],
  ])("%s: %s", (reason, predicate) => {
    expect(trueFor(failed(reason, 0))).toEqual([predicate]);
    expect(trueFor(new Error("wrapped", { cause: failed(reason, 0) }))).toEqual([predicate]);
  });
});

describe("the HTTP code decides when the reason is unknown", () => {
  test.each([
    [404, ["isNotFound"]],
    [409, ["isConflict"]],
    [422, ["isInvalid"]],
    [410, ["isExpired"]],
    [400, ["isBadRequest"]],
    [401, ["isUnauthorized"]],
    [403, ["isForbidden"]],
    [405, ["isMethodNotSupported"]],
    [406, ["isNotAcceptable"]],
    [413, ["isRequestEntityTooLarge"]],
    [415, ["isUnsupportedMediaType"]],
    [429, ["isTooManyRequests"]],
    [500, ["isInternalError"]],
    [503, ["isServiceUnavailable"]],
    [504, ["isTimeout"]],
    [418, []],
  ])("%s: %j", (code, expected) => {
    expect(trueFor(failed("", code))).toEqual(expected);
    expect(trueFor(failed("SomethingNew", code))).toEqual(expected);
  });
});

test.each(statusReasons.filter((reason) => reason !== "NotFound"))(
  "%s with a 404 is not NotFound",
  (reason) => {
    expect(is.isNotFound(failed(reason, 404))).toBe(false);
  },
);

test("a known reason beats the code, but a 429 and a 413 always count", () => {
  expect(trueFor(failed("AlreadyExists", 409))).toEqual(["isAlreadyExists"]);
  expect(trueFor(failed("ServerTimeout", 500))).toEqual(["isServerTimeout"]);
  expect(trueFor(failed("Expired", 410))).toEqual(["isExpired"]);
  expect(trueFor(failed("Conflict", 429))).toEqual(["isConflict", "isTooManyRequests"]);
  expect(trueFor(failed("Invalid", 413))).toEqual(["isInvalid", "isRequestEntityTooLarge"]);
});

test.each([[new Error("404")], [undefined], [{ code: 404, reason: "NotFound" }]])(
  "nothing is known of %o",
  (thrown) => {
    expect(trueFor(thrown)).toEqual([]);
  },
);

test("findCause and isUnexpectedServerError look into the causes", () => {
  const causes = [{ reason: "Other" }, { reason: "UnexpectedServerResponse", message: "nginx" }];
  const error = new StatusError({ ...failed("", 502).status, details: { causes } });
  expect(findCause(error, "UnexpectedServerResponse")?.message).toBe("nginx");
  expect(findCause(error, "Missing")).toBeUndefined();
  expect(is.isUnexpectedServerError(error)).toBe(true);
  expect(is.isUnexpectedServerError(failed("", 502))).toBe(false);
});

test.each([
  ["what a 429 asks for", tooManyRequests("m", 7), 7],
  ["a single second", tooManyRequests("m", 1), 1],
  ["nothing when nothing is asked", tooManyRequests("m"), undefined],
  ["0 after a server timeout without a time", serverTimeout({ group: "", plural: "pods" }, "list", 0), 0],
  ["nothing for other errors", new Error("x"), undefined],
])("suggestedDelaySeconds is %s", (_name, error, seconds) => {
  expect(suggestedDelaySeconds(error)).toBe(seconds);
});
