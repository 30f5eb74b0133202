import { isNotFound } from "./status-is.ts";

/** What a request is answered; undefined when its object does not exist. Other failures are thrown. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
