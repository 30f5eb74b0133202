import { LimitRange } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateLimitRange } from "./validation.ts";

/** LimitRanges. What they do to pods and claims: `admission/limit-ranger.ts`. */
export function limitRangeDefinition(): KindDefinition {
  return {
    kind: LimitRange,
    strategy: { validate: validateLimitRange, generation: "none", createOnUpdate: true },
  };
}
