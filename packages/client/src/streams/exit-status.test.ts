import { StatusError } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { exitOf, statusIn } from "./exit-status.ts";

describe("the status of a command", () => {
  test.each([
    { name: "success", text: '{"metadata":{},"status":"Success"}', code: 0 },
    { name: "an exit code", text: nonZero("3"), code: 3 },
    { name: "a signal's code", text: nonZero("137"), code: 137 },
  ])("$name is code $code", ({ text, code }) => {
    const status = statusIn(text);
    expect(status).toBeDefined();
    expect(status && exitOf(status)).toEqual({ code });
  });

  test.each([
    { name: "another failure", text: '{"status":"Failure","message":"no such container","code":500}' },
    { name: "a code that is no number", text: nonZero("three") },
    {
      name: "a code that is missing",
      text: '{"status":"Failure","reason":"NonZeroExitCode","message":"odd"}',
    },
  ])("$name is a StatusError with the whole status", ({ text }) => {
    const status = statusIn(text);
    expect(status).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure" });
    expect(() => status && exitOf(status)).toThrow(StatusError);
  });

  test.each(["", "{", '{"status":"Succ', "null", "[]", '{"status":"Maybe"}', "error executing command"])(
    "%j is no status",
    (text) => {
      expect(statusIn(text)).toBeUndefined();
    },
  );
});

function nonZero(code: string): string {
  return JSON.stringify({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: code }] },
  });
}
