import {
  compareQuantities,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  parseQuantity,
  quantityMilliValue,
  quantitySign,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with the resources that a container asks for and is held to. */
export function validateResources(
  resources: Decoded<ResourceRequirements> | undefined,
  path: FieldPath,
): FieldError[] {
  const limits = Object.entries(resources?.limits ?? {});
  const requests = Object.entries(resources?.requests ?? {});
  const errors = [
    ...limits.flatMap(([name, amount = "0"]) => amountErrors(name, amount, path.child("limits").key(name))),
    ...requests.flatMap(([name, amount = "0"]) => [
      ...amountErrors(name, amount, path.child("requests").key(name)),
      ...limitErrors(name, amount, { limit: resources?.limits?.[name], path }),
    ]),
  ];
  const names = [...limits, ...requests].map(([name]) => name);
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory"))
    errors.push(fieldForbidden(path, "HugePages require cpu or memory"));
  return errors;
}

/** What is wrong with an amount: it may not be negative, and is whole when the resource is counted. */
export function validateAmount(name: string, amount: string, path: FieldPath): FieldError[] {
  const quantity = parseQuantity(amount);
  return [
    ...(quantitySign(quantity) < 0 ? [fieldInvalid(path, amount, "must be greater than or equal to 0")] : []),
    ...(isCounted(name) && quantityMilliValue(quantity) % 1000n !== 0n
      ? [fieldInvalid(path, amount, "must be an integer")]
      : []),
  ];
}

function amountErrors(name: string, amount: string, path: FieldPath): FieldError[] {
  return [...resourceNameErrors(name, path), ...validateAmount(name, amount, path)];
}

/** What is wrong with the name of a resource of containers. */
export function resourceNameErrors(name: string, path: FieldPath): FieldError[] {
  const errors = named(name, validateQualifiedName, path);
  if (errors.length > 0)
    return name.includes("/") ? errors : [...errors, fieldInvalid(path, name, notForContainers)];
  if (!name.includes("/")) {
    if (containerResources.has(name) || isHugePages(name)) return [];
    return [
      ...(standardResources.has(name)
        ? []
        : [fieldInvalid(path, name, "must be a standard resource type or fully qualified")]),
      fieldInvalid(path, name, notForContainers),
    ];
  }
  if (isNative(name) || isExtended(name)) return [];
  return [fieldInvalid(path, name, "doesn't follow extended resource name standard")];
}

const notForContainers = "must be a standard resource for containers";

function limitErrors(
  name: string,
  amount: string,
  { limit, path }: { readonly limit: string | undefined; readonly path: FieldPath },
): FieldError[] {
  if (limit === undefined) {
    return mayOvercommit(name)
      ? []
      : [fieldRequired(path.child("limits"), "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(parseQuantity(amount), parseQuantity(limit));
  const requests = path.child("requests");
  if (order !== 0 && !mayOvercommit(name))
    return [fieldInvalid(requests, amount, `must be equal to ${name} limit of ${limit}`)];
  if (order > 0)
    return [fieldInvalid(requests, amount, `must be less than or equal to ${name} limit of ${limit}`)];
  return [];
}

/** Whether more of a resource may be limited than is asked for. */
export function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

const containerResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  "storage",
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtended(name: string): boolean {
  return (
    !isNative(name) && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0
  );
}

function isCounted(name: string): boolean {
  return (
    isExtended(name) || (standardResources.has(name) && !containerResources.has(name) && name !== "storage")
  );
}
