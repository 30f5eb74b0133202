import { invalid, type FieldError, type StatusError } from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";

/** 422 with all that is wrong with an object. */
export function refused(resource: Resource, name: string, errors: readonly FieldError[]): StatusError {
  const { group, kind, strategy } = resource;
  return invalid({ group: strategy.refusedGroup ?? group, kind }, name, errors);
}
