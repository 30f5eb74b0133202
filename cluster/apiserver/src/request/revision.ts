import { goQuote, StatusError, statusFailure, timeout } from "@kedge/machinery";

/** Why a resourceVersion is none, in Kubernetes' words; undefined when it is one. Empty is 0. */
export function revisionFault(text: string): string | undefined {
  if (text === "" || (/^\d+$/u.test(text) && BigInt(text) < 1n << 64n)) return undefined;
  const why = /^\d+$/u.test(text) ? "value out of range" : "invalid syntax";
  return `resourceVersion: Invalid value: ${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`;
}

/** The revision that a resourceVersion names. Throws what gets and watches answer: a 500 without a reason. */
export function revisionOf(text: string): number {
  const fault = revisionFault(text);
  if (fault === undefined) return Number(text);
  throw statusFailure({ message: fault, code: 500 });
}

/** 504: nobody has seen that revision yet. As text it may be longer than our numbers. */
export function tooLarge(revision: number | string, current: number): StatusError {
  const { status } = timeout(`Too large resource version: ${revision}, current: ${current}`, 1);
  const cause = { reason: "ResourceVersionTooLarge", message: "Too large resource version" };
  return new StatusError({ ...status, details: { causes: [cause], retryAfterSeconds: 1 } });
}
