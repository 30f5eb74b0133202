import type { Access } from "../../auth/access.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { accessReviews } from "./access-reviews.ts";
import { identityReviews } from "./identity-reviews.ts";

/** What is asked about users and what they may: created to be answered, never stored. */
export function reviewDefinitions(access: Access): readonly KindDefinition[] {
  return [...identityReviews(access), ...accessReviews(access)];
}
