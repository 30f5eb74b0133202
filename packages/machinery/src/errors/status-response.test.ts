import { describe, expect, test } from "vitest";
import { notFound } from "./status-errors.ts";
import { statusFromResponse } from "./status-response.ts";

const resource = { group: "apps", plural: "deployments" };

// What client-go v0.36.4 makes of the same answers.
describe("an answer that is not a Status is explained by its code", () => {
  test.each([
    [400, "BadRequest", "the server rejected our request for an unknown reason"],
    [401, "Unauthorized", "the server has asked for the client to provide credentials"],
    [403, "Forbidden", 'said "it"'],
    [404, "NotFound", "the server could not find the requested resource"],
    [405, "MethodNotAllowed", "the server does not allow this method on the requested resource"],
    [406, "NotAcceptable", 'said "it"'],
    [409, "AlreadyExists", "the server reported a conflict"],
    [410, undefined, "the server responded with the status code 410 but did not return more information"],
    [415, "UnsupportedMediaType", 'said "it"'],
    [418, undefined, "the server responded with the status code 418 but did not return more information"],
    [422, "Invalid", "the server rejected our request due to an error in our request"],
    [429, "TooManyRequests", "the server has received too many requests and has asked us to try again later"],
    [
      500,
      "InternalError",
      String.raw`an error on the server ("said \"it\"") has prevented the request from succeeding`,
    ],
    [
      502,
      "InternalError",
      String.raw`an error on the server ("said \"it\"") has prevented the request from succeeding`,
    ],
    [503, "ServiceUnavailable", "the server is currently unable to handle the request"],
    [
      504,
      "Timeout",
      "the server was unable to return a response in the time allotted, but may still be processing the request",
    ],
  ])("%s", (code, reason, text) => {
    expect(statusFromResponse(code, ' said "it"\n', { verb: "POST", resource, name: "x" })).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `${text} (post deployments.apps x)`,
      reason,
      details: {
        name: "x",
        group: "apps",
        kind: "deployments",
        causes: [{ reason: "UnexpectedServerResponse", message: 'said "it"' }],
      },
      code,
    });
  });
});

test("a conflict of anything but a POST is a Conflict; Retry-After is kept", () => {
  const status = statusFromResponse(409, "said", { verb: "PUT", resource, retryAfterSeconds: 7 });
  expect(status.reason).toBe("Conflict");
  expect(status.message).toBe("the server reported a conflict (put deployments.apps)");
  expect(status.details?.retryAfterSeconds).toBe(7);
});

test("without a resource the message stands alone", () => {
  const status = statusFromResponse(404, "404 page not found", { verb: "GET" });
  expect(status.message).toBe("the server could not find the requested resource");
  expect(status.details).toEqual({
    causes: [{ reason: "UnexpectedServerResponse", message: "404 page not found" }],
  });
});

test.each([
  ["application/octet-stream", "unknown"],
  ["text/html; charset=utf-8", "<h1>hi</h1>"],
  ["TEXT/plain", "<h1>hi</h1>"],
  [undefined, "<h1>hi</h1>"],
])("a body of type %s is told as %s", (contentType, told) => {
  const status = statusFromResponse(502, "<h1>hi</h1>", { verb: "GET", contentType });
  expect(status.details?.causes?.[0]?.message).toBe(told);
});

test("a page of a proxy is cut short", () => {
  const status = statusFromResponse(502, "x".repeat(100_000), { verb: "GET" });
  expect(status.details?.causes?.[0]?.message).toHaveLength(2048);
});

test("an unacceptable answer that says nothing is explained", () => {
  const status = statusFromResponse(406, "", { verb: "GET", contentType: "image/png" });
  expect(status.message).toBe(
    "the server was unable to respond with a content type that the client supports",
  );
});

describe("a Status in the body", () => {
  const { status } = notFound(resource, "x");

  test("is handed on as it is", () => {
    const body = JSON.stringify({ ...status, unknownField: 1 });
    const read = statusFromResponse(404, body, { verb: "GET", resource, contentType: "application/json" });
    expect(read).toEqual({ ...status, unknownField: 1 });
  });

  test("gets the code of the answer when it has none", () => {
    const { code: _code, ...rest } = status;
    expect(statusFromResponse(404, JSON.stringify(rest), { verb: "GET" }).code).toBe(404);
  });

  test("does not count when it tells of a success, is broken, or is another kind", () => {
    const bodies = [
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Success" }),
      JSON.stringify(status).slice(0, -1),
      JSON.stringify({ kind: "Status", apiVersion: "example.com/v1" }),
    ];
    for (const body of bodies) {
      expect(statusFromResponse(500, body, { verb: "GET" }).details?.causes).toEqual([
        { reason: "UnexpectedServerResponse", message: body },
      ]);
    }
  });
});
