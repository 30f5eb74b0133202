import {
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  validateDns1123Subdomain,
  type FieldError,
  type ObjectMeta,
} from "@kedge/machinery";
import {
  validateAnnotations,
  validateLabels,
  validateObjectMeta,
  validateOwnerReferences,
} from "@kedge/validation";
import type { Resource } from "../registry/types.ts";

/** All that is wrong with the metadata of an object that is written. */
export function validateMetadata(metadata: Readonly<ObjectMeta>, resource: Resource): FieldError[] {
  const rule = resource.strategy.nameRule ?? validateDns1123Subdomain;
  const rules = {
    namespaced: resource.scope === "Namespaced",
    // A prefix may end in a dash, which the name it becomes will not.
    nameRule: (name: string, prefix: boolean) => rule(prefix ? name.replace(/-$/u, "a") : name),
  };
  return [
    ...validateObjectMeta(metadata, rules, path),
    ...(isNamedFreely(resource)
      ? []
      : (metadata.finalizers ?? []).flatMap((name, index) => kubeFinalizerErrors(name, index))),
  ];
}

const path = fieldPath("metadata");

/** All that is wrong with changing metadata so. What an update left out has been filled in. */
export function validateMetadataUpdate(
  metadata: Readonly<ObjectMeta>,
  previous: Readonly<ObjectMeta>,
): FieldError[] {
  // Kubernetes looks twice: once for all kinds, once for each.
  const errors = updateErrors(metadata, previous);
  return [...errors, ...errors];
}

function updateErrors(metadata: Readonly<ObjectMeta>, previous: Readonly<ObjectMeta>): FieldError[] {
  const immutable = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const;
  return [
    ...newFinalizerErrors(metadata, previous),
    ...immutable
      .filter((field) => (metadata[field] ?? "") !== (previous[field] ?? ""))
      .map((field) => fieldInvalid(`metadata.${field}`, metadata[field] ?? null, isImmutable)),
    ...(metadata.deletionGracePeriodSeconds === previous.deletionGracePeriodSeconds
      ? []
      : [
          fieldInvalid(
            "metadata.deletionGracePeriodSeconds",
            metadata.deletionGracePeriodSeconds ?? null,
            isImmutable,
          ),
        ]),
    ...validateLabels(metadata.labels ?? {}, path.child("labels")),
    ...validateAnnotations(metadata.annotations ?? {}, path.child("annotations")),
    ...validateOwnerReferences(metadata.ownerReferences ?? [], path.child("ownerReferences")),
  ];
}

const isImmutable = "field is immutable";

/** Custom kinds, their definitions, leases and events of the older kind take any finalizer. */
function isNamedFreely({ custom, group, kind }: Resource): boolean {
  const isEvent = group === "" && kind === "Event";
  return custom !== undefined || isEvent || ["apiextensions.k8s.io", "coordination.k8s.io"].includes(group);
}

/** Built-in kinds want to know whose finalizer it is. */
function kubeFinalizerErrors(name: string, index: number): FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return [fieldInvalid(path.child("finalizers").index(index), name, why)];
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function newFinalizerErrors(metadata: Readonly<ObjectMeta>, previous: Readonly<ObjectMeta>): FieldError[] {
  if (previous.deletionTimestamp === undefined) return [];
  const before = new Set(previous.finalizers);
  const added = (metadata.finalizers ?? []).filter((name) => !before.has(name)).toSorted();
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(", ");
  return [
    fieldForbidden(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}
