import type { ApiObject } from "../../../registry/types.ts";
import { parsePolicy } from "./parse-policy.ts";
import { policyText } from "./policy-text.ts";

/** The roles and bindings of every cluster. */
export function defaultPolicy(): readonly ApiObject[] {
  return parsePolicy(policyText);
}
