import { StatusError } from "@kedge/machinery";
import type {
  MatchResources,
  NamedRuleWithOperations,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";
import { askedAs, type Asked } from "../matching/rules.ts";
import { selects, selectorsOf, type Selectors } from "../matching/selectors.ts";
import type { AdmissionRequest } from "../types.ts";

/** Which requests a policy or a binding is about. */
export interface ResourceMatch {
  readonly selectors: Selectors;
  readonly rules: readonly Decoded<NamedRuleWithOperations>[];
  readonly excluded: readonly Decoded<NamedRuleWithOperations>[];
  readonly equivalent: boolean;
}

/** Reads it as it was sent. */
export function resourceMatchOf(resources: Decoded<MatchResources>): ResourceMatch {
  return {
    selectors: selectorsOf(resources),
    rules: resources.resourceRules ?? [],
    excluded: resources.excludeResourceRules ?? [],
    equivalent: resources.matchPolicy === "Equivalent",
  };
}

/** How a request is to be looked at; undefined when it is none of those. Throws a `StatusError`: its namespace is not there. */
export function matchRequest(
  { selectors, rules, excluded, equivalent }: ResourceMatch,
  request: AdmissionRequest<StoredApiObject>,
  objects: ObjectReader,
): Asked | undefined {
  const options = {
    equivalent,
    registry: objects.registry,
    isFor: ({ resourceNames = [] }: Decoded<NamedRuleWithOperations>) =>
      resourceNames.length === 0 || resourceNames.includes(request.name),
  };
  const { resource, kind } = request;
  const asked = rules.length === 0 ? { resource, kind } : askedAs(rules, request, options);
  if (asked === undefined || askedAs(excluded, request, options) !== undefined) return undefined;
  const chosen = selects(selectors, request, objects);
  if (chosen instanceof StatusError) throw chosen;
  return chosen ? asked : undefined;
}
