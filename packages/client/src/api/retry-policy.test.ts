import { seededRandom, StatusError } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { ClientError, type ClientErrorCode } from "../client-error.ts";
import { retryDelay } from "./retry-policy.ts";

const answered = (code: number, retryAfterSeconds?: number): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, code, details: { retryAfterSeconds } });
const broken = (code: ClientErrorCode): ClientError => new ClientError(code, "test");

describe("what is tried again", () => {
  it.each<[string, string, unknown, number, boolean]>([
    ["429 with Retry-After, a write", "POST", answered(429, 2), 1, true],
    ["503 with Retry-After, a write", "PUT", answered(503, 2), 10, true],
    ["429 with Retry-After, for the eleventh time", "GET", answered(429, 2), 11, false],
    ["429 without Retry-After", "GET", answered(429), 1, false],
    ["500 with Retry-After", "GET", answered(500, 1), 1, false],
    ["504 with Retry-After: the version is not there yet", "GET", answered(504, 1), 1, false],
    ["never sent, a write", "POST", broken("UNREACHABLE"), 1, true],
    ["never sent, for the fourth time", "POST", broken("UNREACHABLE"), 4, false],
    ["lost on the way, a read", "GET", broken("CONNECTION_LOST"), 1, true],
    ["lost on the way, a write that may have happened", "POST", broken("CONNECTION_LOST"), 1, false],
    ["a wrong certificate", "GET", broken("CERTIFICATE"), 1, false],
    ["a deadline", "GET", broken("DEADLINE"), 1, false],
    ["anything else", "GET", new Error("bug"), 1, false],
  ])("%s", (_what, method, error, attempts, again) => {
    expect(retryDelay({ method, attempts, error }, seededRandom(1)) !== undefined).toBe(again);
  });

  it("waits what the server asks, and else longer each time with some spread", () => {
    const random = seededRandom(1);
    expect(retryDelay({ method: "GET", attempts: 1, error: answered(429, 2) }, random)).toBe(2000);
    for (let attempts = 1; attempts < 4; attempts++) {
      const delay = retryDelay({ method: "GET", attempts, error: broken("UNREACHABLE") }, random) ?? 0;
      expect(delay).toBeGreaterThanOrEqual(25 * 2 ** attempts);
      expect(delay).toBeLessThan(75 * 2 ** attempts);
    }
  });
});
