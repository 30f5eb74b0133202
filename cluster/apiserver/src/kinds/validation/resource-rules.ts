import {
  fieldDuplicate,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  NamedRuleWithOperations,
  RuleWithOperations,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, optionalOneOf } from "./field-rules.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/** What is wrong with the rule that says which requests a webhook or a policy is about. */
export function validateResourceRule(rule: Decoded<RuleWithOperations>, path: FieldPath): FieldError[] {
  const { apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const asked = rule.operations ?? [];
  return [
    ...listErrors(asked, path.child("operations"), "operations"),
    ...asked.flatMap((operation, i) =>
      operations.includes(operation)
        ? []
        : [fieldNotSupported(path.child("operations").index(i), operation, operations)],
    ),
    ...listErrors(apiGroups, path.child("apiGroups"), "API groups"),
    ...listErrors(apiVersions, path.child("apiVersions"), "API versions"),
    ...apiVersions.flatMap((version, i) =>
      version === "" ? [fieldRequired(path.child("apiVersions").index(i))] : [],
    ),
    ...resourceErrors(resources, path.child("resources")),
    ...optionalOneOf(scope, ["*", "Cluster", "Namespaced"], path.child("scope")),
  ];
}

/** The same of one that may be about some names only. */
export function validateNamedRule(rule: Decoded<NamedRuleWithOperations>, path: FieldPath): FieldError[] {
  const names = rule.resourceNames ?? [];
  const place = path.child("resourceNames");
  return [
    ...names.flatMap((name, i) => [
      ...named(name, validatePathSegmentName, place.index(i)),
      ...(names.indexOf(name) < i ? [fieldDuplicate(place.index(i), name)] : []),
    ]),
    ...validateResourceRule(rule, path),
  ];
}

function listErrors(list: readonly string[], path: FieldPath, what: string): FieldError[] {
  if (list.length === 0) return [fieldRequired(path)];
  if (list.length === 1 || !list.includes("*")) return [];
  return [fieldInvalid(path, list, `if '*' is present, must not specify other ${what}`)];
}

// A resource, one of its parts, or `*` for either: none of them may say what another says already.
function resourceErrors(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) return [fieldRequired(path)];
  const errors: FieldError[] = [];
  const allOf = new Set<string>();
  const everywhere = new Set<string>();
  let hasPlain = false;
  for (const [i, text] of resources.entries()) {
    if (text === "") {
      errors.push(fieldRequired(path.index(i)));
      continue;
    }
    const slash = text.indexOf("/");
    if (slash < 0) {
      // As on the real server: the last one counts.
      hasPlain = text !== "*";
      continue;
    }
    const [resource, part] = [text.slice(0, slash), text.slice(slash + 1)];
    const covered = [
      ...(allOf.has(resource) ? [`${resource}/*`] : []),
      ...(everywhere.has(part) ? [`*/${part}`] : []),
    ];
    for (const by of covered)
      errors.push(fieldInvalid(path.index(i), text, `if '${by}' is present, must not specify ${text}`));
    if (part === "*") allOf.add(resource);
    if (resource === "*") everywhere.add(part);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(fieldInvalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes("*") && hasPlain)
    errors.push(
      fieldInvalid(
        path,
        resources,
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  return errors;
}
