import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "@kedge/machinery/kinds/flowcontrol/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named, required } from "../validation/field-rules.ts";

const lastPrecedence = 10_000;

/** What is wrong with a flow schema, but for its rules. */
export function validateFlowSchemaSpec(spec: Decoded<FlowSchemaSpec>, name: string): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod, priorityLevelConfiguration } = spec;
  const { name: level = "" } = priorityLevelConfiguration ?? {};
  const precedence = fieldPath("spec", "matchingPrecedence");
  const levelPath = fieldPath("spec", "priorityLevelConfiguration", "name");
  return [
    ...(matchingPrecedence <= 0
      ? [fieldInvalid(precedence, matchingPrecedence, "must be a positive value")]
      : []),
    ...(matchingPrecedence > lastPrecedence
      ? [fieldInvalid(precedence, matchingPrecedence, `must not be greater than ${lastPrecedence}`)]
      : []),
    ...(matchingPrecedence === 1 && name !== "exempt"
      ? [
          fieldInvalid(
            precedence,
            matchingPrecedence,
            "only the schema named 'exempt' may have matchingPrecedence 1",
          ),
        ]
      : []),
    ...(distinguisherMethod === undefined || methods.includes(distinguisherMethod.type ?? "")
      ? []
      : [
          fieldNotSupported(
            fieldPath("spec", "distinguisherMethod", "type"),
            new Map([["Type", distinguisherMethod.type ?? ""]]),
            methods,
          ),
        ]),
    ...(level === ""
      ? [fieldRequired(levelPath, "must reference a priority level")]
      : named(level, validateDns1123Subdomain, levelPath)),
  ];
}

const methods = ["ByNamespace", "ByUser"];

/** What is wrong with one of its rules. */
export function validateFlowRules(rules: Decoded<PolicyRulesWithSubjects>, path: FieldPath): FieldError[] {
  // Lists that have to be there are null when they were left out.
  const subjects = rules.subjects ?? [];
  const { resourceRules = [], nonResourceRules = [] } = rules;
  return [
    ...(subjects.length === 0
      ? [fieldRequired(path.child("subjects"), "subjects must contain at least one value")]
      : subjects.flatMap((subject, i) => subjectErrors(subject, path.child("subjects").index(i)))),
    ...(resourceRules.length === 0 && nonResourceRules.length === 0
      ? [fieldRequired(path, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...resourceRules.flatMap((rule, i) => resourceErrors(rule, path.child("resourceRules").index(i))),
    ...nonResourceRules.flatMap((rule, i) =>
      nonResourceErrors(rule, path.child("nonResourceRules").index(i)),
    ),
  ];
}

const subjectFields = [
  ["ServiceAccount", "serviceAccount"],
  ["User", "user"],
  ["Group", "group"],
] as const;

function subjectErrors(subject: Decoded<Subject>, path: FieldPath): FieldError[] {
  const [kind, own] = subjectFields.find(([each]) => each === subject.kind) ?? [];
  if (kind === undefined || own === undefined)
    return [fieldNotSupported(path.child("kind"), subject.kind ?? "", ["Group", "ServiceAccount", "User"])];
  const value = subject[own];
  return [
    ...(value === undefined
      ? [fieldRequired(path.child(own), `${own} is required when subject kind is '${kind}'`)]
      : nameErrors(subject, own, path.child(own))),
    ...subjectFields.flatMap(([other, field]) =>
      field === own || subject[field] === undefined
        ? []
        : [fieldForbidden(path.child(field), `${field} is forbidden when subject kind is not '${other}'`)],
    ),
  ];
}

function nameErrors(
  subject: Decoded<Subject>,
  field: "group" | "serviceAccount" | "user",
  path: FieldPath,
): FieldError[] {
  const { name = "" } = subject[field] ?? {};
  const missing = required(name, path.child("name"));
  if (field !== "serviceAccount") return missing;
  const { namespace = "" } = subject.serviceAccount ?? {};
  return [
    ...missing,
    ...(name === "" || name === "*" ? [] : named(name, validateDns1123Subdomain, path.child("name"))),
    ...(namespace === ""
      ? [fieldRequired(path.child("namespace"), "must specify namespace for service account")]
      : named(namespace, validateDns1123Label, path.child("namespace"))),
  ];
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function verbErrors(given: readonly string[], path: FieldPath): FieldError[] {
  if (given.length === 0) return [fieldRequired(path, "verbs must contain at least one value")];
  if (given.includes("*")) return alone(given, path, "verbs");
  return given.every((verb) => verbs.includes(verb)) ? [] : [fieldNotSupported(path, given, verbs)];
}

function alone(given: readonly string[], path: FieldPath, what: string): FieldError[] {
  return given.length > 1 && given.includes("*")
    ? [fieldInvalid(path, given, `if '*' is present, must not specify other ${what}`)]
    : [];
}

function resourceErrors(rule: Decoded<ResourcePolicyRule>, path: FieldPath): FieldError[] {
  const [given, apiGroups, resources] = [rule.verbs ?? [], rule.apiGroups ?? [], rule.resources ?? []];
  const { clusterScope = false } = rule;
  const namespaces = rule.namespaces ?? [];
  const some = (list: readonly string[], field: string, one: string, many: string): FieldError[] =>
    list.length === 0
      ? [fieldRequired(path.child(field), `resource rules must supply at least one ${one}`)]
      : alone(list, path.child(field), many);
  const at = path.child("namespaces");
  return [
    ...verbErrors(given, path.child("verbs")),
    ...some(apiGroups, "apiGroups", "api group", "api groups"),
    ...some(resources, "resources", "resource", "resources"),
    ...(namespaces.length === 0 && !clusterScope
      ? [fieldRequired(at, "resource rules that are not cluster scoped must supply at least one namespace")]
      : []),
    ...(namespaces.includes("*")
      ? alone(namespaces, at, "namespaces")
      : namespaces.flatMap((namespace, i) =>
          validateDns1123Label(namespace).map((fault) =>
            fieldInvalid(
              at.index(i),
              namespace,
              `each member of this list must be '*' or a DNS-1123 label; ${fault}`,
            ),
          ),
        )),
  ];
}

function nonResourceErrors(rule: Decoded<NonResourcePolicyRule>, path: FieldPath): FieldError[] {
  const [given, urls] = [rule.verbs ?? [], rule.nonResourceURLs ?? []];
  const at = path.child("nonResourceURLs");
  return [
    ...verbErrors(given, path.child("verbs")),
    ...(urls.length === 0 ? [fieldRequired(at, "nonResourceURLs must contain at least one value")] : []),
    ...(urls.includes("*")
      ? alone(urls, at, "non-resource URLs")
      : urls.flatMap((url, i) => urlErrors(url, at.index(i)))),
  ];
}

function urlErrors(url: string, path: FieldPath): FieldError[] {
  if (url === "") return [fieldInvalid(path, url, "must not be empty")];
  if (url === "/") return [];
  if (!url.startsWith("/")) return [fieldInvalid(path, url, "must start with slash")];
  if (url.includes(" ")) return [fieldInvalid(path, url, "must not contain white-space")];
  if (url.includes("//")) return [fieldInvalid(path, url, "must not contain double slash")];
  const stars = url.split("*").length - 1;
  if (stars > 1 || (stars === 1 && !url.endsWith("/*")))
    return [fieldInvalid(path, url, "wildcard can only do suffix matching")];
  return [];
}
