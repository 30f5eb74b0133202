import { finish, type FieldError, type Steps } from "@kedge/machinery";
import { inSteps, type Pause } from "../request/pause.ts";

/** What a validation found, or is going to find in steps. */
export type Found = readonly FieldError[] | Steps<readonly FieldError[]>;

/** What a validation found, once it is through all of its steps. */
export async function errorsOf(found: Found | undefined, pause: Pause): Promise<readonly FieldError[]> {
  if (found === undefined) return [];
  return "next" in found ? await inSteps(found, pause) : found;
}

/** The same at once, for tests. */
export function allErrors(found: Found | undefined): readonly FieldError[] {
  if (found === undefined) return [];
  return "next" in found ? finish(found) : found;
}
