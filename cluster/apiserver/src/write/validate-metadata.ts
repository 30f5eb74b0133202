import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type ObjectMeta,
  type OwnerReference,
} from "@kedge/machinery";
import type { Resource } from "../registry/types.ts";

/** All that is wrong with the metadata of an object that is written. */
export function validateMetadata(metadata: Readonly<ObjectMeta>, resource: Resource): FieldError[] {
  return [
    ...nameErrors(metadata, resource),
    ...namespaceErrors(metadata.namespace ?? "", resource),
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...ownerErrors(metadata.ownerReferences ?? []),
    ...finalizerErrors(metadata.finalizers ?? [], resource),
  ];
}

/** All that is wrong with changing metadata so. What an update left out has been filled in. */
export function validateMetadataUpdate(
  metadata: Readonly<ObjectMeta>,
  previous: Readonly<ObjectMeta>,
): FieldError[] {
  // Kubernetes looks twice: once for all kinds, once for each.
  return [...updateErrors(metadata, previous), ...updateErrors(metadata, previous)];
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
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...ownerErrors(metadata.ownerReferences ?? []),
  ];
}

const isImmutable = "field is immutable";

function nameErrors(
  { name = "", generateName = "" }: Readonly<ObjectMeta>,
  resource: Resource,
): FieldError[] {
  const rule = resource.strategy.nameRule ?? validateDns1123Subdomain;
  // A prefix may end in a dash, which the name it becomes will not.
  const prefix = generateName.replace(/-$/u, "a");
  const prefixErrors =
    generateName === ""
      ? []
      : rule(prefix).map((why) => fieldInvalid("metadata.generateName", generateName, why));
  if (name === "")
    return [...prefixErrors, fieldRequired("metadata.name", "name or generateName is required")];
  return [...prefixErrors, ...rule(name).map((why) => fieldInvalid("metadata.name", name, why))];
}

function namespaceErrors(namespace: string, { scope }: Resource): FieldError[] {
  if (scope === "Cluster")
    return namespace === "" ? [] : [fieldForbidden("metadata.namespace", "not allowed on this type")];
  if (namespace === "") return [fieldRequired("metadata.namespace")];
  return validateDns1123Label(namespace).map((why) => fieldInvalid("metadata.namespace", namespace, why));
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((why) => fieldInvalid("metadata.labels", key, why)),
    ...validateLabelValue(value).map((why) => fieldInvalid("metadata.labels", value, why)),
  ]);
}

const annotationLimit = 256 * 1024;

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const path = "metadata.annotations";
  const entries = Object.entries(annotations);
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...entries.flatMap(([key]) =>
      validateQualifiedName(key.toLowerCase()).map((why) => fieldInvalid(path, key, why)),
    ),
    ...(size > annotationLimit ? [fieldTooLong(path, annotationLimit)] : []),
  ];
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const path = "metadata.ownerReferences";
  const controllers = owners.filter(({ controller }) => controller === true);
  const [first] = controllers;
  return [
    ...owners.flatMap((owner) => referenceErrors(owner, path)),
    ...controllers
      .slice(1)
      .map((other) =>
        fieldInvalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind ?? ""}/${first?.name ?? ""} and ${other.kind}/${other.name}`,
        ),
      ),
  ];
}

function referenceErrors(owner: Partial<OwnerReference>, path: string): FieldError[] {
  const { apiVersion = "", kind = "", name = "" } = owner;
  const uid: string = owner.uid ?? "";
  return [
    ...(apiVersion.split("/").length > 2 || apiVersion.split("/").at(-1) === ""
      ? [fieldInvalid(`${path}.apiVersion`, apiVersion, "version must not be empty")]
      : []),
    ...(kind === "" ? [fieldInvalid(`${path}.kind`, kind, "must not be empty")] : []),
    ...(name === "" ? [fieldInvalid(`${path}.name`, name, "must not be empty")] : []),
    ...(uid === "" ? [fieldInvalid(`${path}.uid`, uid, "must not be empty")] : []),
    ...(apiVersion === "v1" && kind === "Event"
      ? [fieldInvalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ];
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function finalizerErrors(finalizers: readonly string[], resource: Resource): FieldError[] {
  const path = "metadata.finalizers";
  const both = finalizers.includes("orphan") && finalizers.includes("foregroundDeletion");
  return [
    ...finalizers.flatMap((name) => validateQualifiedName(name).map((why) => fieldInvalid(path, name, why))),
    ...(both
      ? [fieldInvalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")]
      : []),
    ...(isNamedFreely(resource)
      ? []
      : finalizers.flatMap((name, index) => kubeFinalizerErrors(name, `${path}[${index}]`))),
  ];
}

/** Custom kinds and their definitions take any finalizer. */
function isNamedFreely({ custom, group }: Pick<Resource, "custom" | "group">): boolean {
  return custom !== undefined || group === "apiextensions.k8s.io";
}

/** Built-in kinds want to know whose finalizer it is. */
function kubeFinalizerErrors(name: string, path: string): FieldError[] {
  const known = name.includes("/") || standardFinalizers.has(name);
  return known
    ? []
    : [fieldInvalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

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
