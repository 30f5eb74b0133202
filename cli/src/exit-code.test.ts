import { ExitCode } from "@stricli/core";
import { expect, it } from "vitest";
import { exitCodeFor } from "./exit-code.ts";

it.each([
  ["nothing was set", null, 0],
  ["it worked", ExitCode.Success, 0],
  ["the command failed", ExitCode.CommandRunError, 1],
  ["the command is unknown", ExitCode.UnknownCommand, 2],
  ["an argument is wrong", ExitCode.InvalidArgument, 2],
  ["the command could not be loaded", ExitCode.CommandLoadError, 1],
  ["the parser is broken", ExitCode.InternalError, 1],
])("when %s", (_when, code, expected) => {
  expect(exitCodeFor(code)).toBe(expected);
});
