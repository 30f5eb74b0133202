import { badRequest, type StatusError } from "@kedge/machinery";
import type { IncludeObject } from "./types.ts";

/** Reads the query parameter `includeObject`. Throws a 400 for what it cannot be. */
export function parseIncludeObject(value: string | null): IncludeObject {
  switch (value) {
    case null:
    case "":
    case "Metadata":
      return "Metadata";
    case "None":
    case "Object":
      return value;
    default:
      throw wrongValue(value);
  }
}

function wrongValue(value: string): StatusError {
  return badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
