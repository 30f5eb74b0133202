import { inspect } from "node:util";
import { ClientError } from "../../client-error.ts";

/** The `ClientError` that a promise or a function ends with; anything else fails the test. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<ClientError> {
  let outcome: unknown;
  try {
    outcome = await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  throw new Error(`expected a ClientError, got ${inspect(outcome)}`);
}

/** All that a log could show of an error: message, hint, and the causes. */
export function shown(error: ClientError): string {
  return inspect(error, { depth: 10 });
}
