import { describe, expect, test } from "vitest";
import { notFound, tooManyRequests } from "./status-errors.ts";
import { findStatus, isStatus, StatusError, statusOf } from "./status.ts";

const missing = notFound({ group: "", plural: "pods" }, "a");

describe("statusOf", () => {
  test("is the error's own status, however deeply it is wrapped", () => {
    const wrapped = new Error("sync", { cause: new Error("read", { cause: missing }) });
    expect(statusOf(missing)).toBe(missing.status);
    expect(statusOf(wrapped)).toBe(missing.status);
  });

  test.each([
    ["an error", new TypeError("boom"), "boom"],
    ["a text", "boom", "boom"],
    ["nothing", undefined, "undefined"],
  ])("is a 500 without a reason for %s", (_name, thrown, message) => {
    expect(statusOf(thrown)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      code: 500,
    });
  });
});

test("findStatus ends when errors are each other's cause", () => {
  const a = new Error("a");
  const b = new Error("b", { cause: a });
  a.cause = b;
  expect(findStatus(b)).toBeUndefined();
});

test("findStatus prefers the outermost status", () => {
  const outer = new StatusError(tooManyRequests("later").status, { cause: missing });
  expect(findStatus(outer)?.code).toBe(429);
});

test("a status without code and reason reads as 0 and empty", () => {
  const error = new StatusError({ kind: "Status", apiVersion: "v1", metadata: {} });
  expect(error).toMatchObject({ code: 0, reason: "", message: "" });
  expect(error.retryAfterSeconds).toBeUndefined();
});

test.each([
  [{ kind: "Status", apiVersion: "v1" }, true],
  [{ kind: "Status", apiVersion: "meta.k8s.io/v1" }, true],
  [{ kind: "Status", apiVersion: "example.com/v1" }, false],
  [{ kind: "Pod", apiVersion: "v1" }, false],
  [{ kind: "Status" }, false],
  ["Status", false],
  [null, false],
])("isStatus(%j) is %s", (value, expected) => {
  expect(isStatus(value)).toBe(expected);
});
