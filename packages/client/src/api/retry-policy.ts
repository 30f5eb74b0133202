import { StatusError, type Random } from "@kedge/machinery";
import { ClientError } from "../client-error.ts";

/** An attempt that was not a success. */
export interface FailedAttempt {
  readonly method: string;
  /** How many attempts were made, this one included. */
  readonly attempts: number;
  readonly error: unknown;
}

/** As many as client-go makes when the server asks for patience. */
const mostWhenAsked = 10;
/** A server that is not there is reported within a second, not after the whole deadline. */
const mostWhenUnreachable = 4;
const firstDelay = 50;

/**
 * Milliseconds until the next attempt, or undefined when there should be none. Repeated is only what cannot do harm:
 * what the server refused and asked to send again, what never reached it, and reads.
 */
export function retryDelay(failed: FailedAttempt, random: Random): number | undefined {
  const { attempts, error } = failed;
  if (error instanceof StatusError) {
    const asked = error.code === 429 || error.code === 503 ? error.retryAfterSeconds : undefined;
    return asked === undefined || attempts > mostWhenAsked ? undefined : asked * 1000;
  }
  if (!(error instanceof ClientError) || attempts >= mostWhenUnreachable) return undefined;
  const read = failed.method === "GET" || failed.method === "HEAD";
  const harmless = error.code === "UNREACHABLE" || (error.code === "CONNECTION_LOST" && read);
  return harmless ? firstDelay * 2 ** attempts * (0.5 + random.next()) : undefined;
}
