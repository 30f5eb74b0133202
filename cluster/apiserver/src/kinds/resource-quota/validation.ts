import {
  deepEqual,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { ResourceQuota, type ResourceQuotaSpec } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateAmount } from "../pod-spec/resources.ts";
import { named } from "../validation/field-rules.ts";

type Amounts = Readonly<Record<string, string | undefined>>;
type Spec = Decoded<ResourceQuotaSpec>;

/** What is wrong with a ResourceQuota. */
export function validateResourceQuota(object: StoredApiObject): FieldError[] {
  const { spec = {} } = decodedAs(ResourceQuota, object);
  return [
    ...amountsErrors(spec.hard, fieldPath("spec", "hard")),
    ...scopeErrors(spec),
    ...selectorErrors(spec, fieldPath("spec", "scopeSelector", "matchExpressions")),
  ];
}

/** What is wrong with changing a ResourceQuota so. */
export function validateResourceQuotaUpdate(
  object: StoredApiObject,
  previous: StoredApiObject,
): FieldError[] {
  const scopes = decodedAs(ResourceQuota, object).spec?.scopes ?? [];
  const before = decodedAs(ResourceQuota, previous).spec?.scopes ?? [];
  if (deepEqual([...new Set(scopes)].toSorted(), [...new Set(before)].toSorted())) return [];
  return [fieldInvalid("spec.scopes", scopes.length === 0 ? null : scopes, "field is immutable")];
}

/** What is wrong with the status of a ResourceQuota. */
export function validateResourceQuotaStatus(object: StoredApiObject): FieldError[] {
  const { status = {} } = decodedAs(ResourceQuota, object);
  return [
    ...amountsErrors(status.hard, fieldPath("status", "hard")),
    ...amountsErrors(status.used, fieldPath("status", "used")),
  ];
}

function amountsErrors(amounts: Amounts | undefined, path: FieldPath): FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount = "0"]) => [
    ...nameErrors(name, path.key(name)),
    ...validateAmount(name, amount, path.key(name)),
  ]);
}

function nameErrors(name: string, path: FieldPath): FieldError[] {
  const faults = named(name, validateQualifiedName, path);
  if (name.includes("/")) return faults;
  const isQuota = isQuotaResource(name);
  return [
    ...faults,
    ...(faults.length > 0 || isQuota || name === "storage"
      ? []
      : [fieldInvalid(path, name, "must be a standard resource type or fully qualified")]),
    ...(isQuota ? [] : [fieldInvalid(path, name, "must be a standard resource for quota")]),
  ];
}

function isQuotaResource(name: string): boolean {
  return quotaResources.has(name) || /^(requests\.)?hugepages-/u.test(name);
}

const podCompute: readonly string[] = ["cpu", "memory"].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

const quotaResources: ReadonlySet<string> = new Set([
  ...podCompute,
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "requests.storage",
  "pods",
  "resourcequotas",
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
]);

/** What can be counted within a scope. */
const scopes: ReadonlyMap<string, readonly string[]> = new Map([
  ["Terminating", ["pods", ...podCompute]],
  ["NotTerminating", ["pods", ...podCompute]],
  ["BestEffort", ["pods"]],
  ["NotBestEffort", ["pods", ...podCompute]],
  ["PriorityClass", ["pods", ...podCompute]],
  ["CrossNamespacePodAffinity", ["pods", ...podCompute]],
  ["VolumeAttributesClass", ["persistentvolumeclaims", "requests.storage"]],
]);

/** How often a scope meets something that cannot be counted within it. */
function misfits(scope: string, { hard = {} }: Spec): readonly string[] {
  const fitting = scopes.get(scope);
  if (fitting === undefined) return [];
  return Object.keys(hard).filter((name) => isQuotaResource(name) && !fitting.includes(name));
}

function scopeErrors(spec: Spec): FieldError[] {
  const given = spec.scopes ?? [];
  const path = fieldPath("spec", "scopes");
  return [
    ...given.flatMap((scope) => [
      ...(scopes.has(scope) ? [] : [fieldInvalid(path, given, "unsupported scope")]),
      ...misfits(scope, spec).map(() => fieldInvalid(path, given, "unsupported scope applied to resource")),
    ]),
    ...conflicts(given).map(() => fieldInvalid(path, given, "conflicting scopes")),
  ];
}

function conflicts(given: readonly string[]): readonly unknown[] {
  return [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ].filter((pair) => pair.every((scope) => given.includes(scope)));
}

function selectorErrors(spec: Spec, path: FieldPath): FieldError[] {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return [];
  const { matchExpressions = [] } = scopeSelector;
  // As Go's own type is printed, with its fields in their order.
  const printed = new Map([
    [
      "MatchExpressions",
      matchExpressions.map(
        ({ scopeName, operator, values }) =>
          new Map<string, unknown>([
            ["ScopeName", scopeName],
            ["Operator", operator],
            ["Values", values ?? null],
          ]),
      ),
    ],
  ]);
  return [
    ...matchExpressions.flatMap(({ scopeName = "", operator = "", values = [] }) => [
      ...(scopes.has(scopeName)
        ? []
        : [fieldInvalid(path.child("scopeName"), scopeName, "unsupported scope")]),
      ...misfits(scopeName, spec).map(() =>
        fieldInvalid(path, printed, "unsupported scope applied to resource"),
      ),
      ...(onlyExisting.has(scopeName) && operator !== "Exists"
        ? [fieldInvalid(path.child("operator"), operator, mustExist)]
        : []),
      ...operatorErrors(operator, values, path),
    ]),
    ...conflicts(matchExpressions.map(({ scopeName = "" }) => scopeName)).map(() =>
      // Kubernetes shows the other scopes.
      fieldInvalid(path, spec.scopes ?? null, "conflicting scopes"),
    ),
  ];
}

const onlyExisting: ReadonlySet<string> = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);

const mustExist =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [
            fieldRequired(
              path.child("values"),
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [
            fieldInvalid(
              path.child("values"),
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [fieldInvalid(path.child("operator"), operator, "not a valid selector operator")];
  }
}
