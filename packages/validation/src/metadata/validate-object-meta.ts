import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
  validateDns1123Label,
  validateLabelValue,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
  type ObjectMeta,
  type OwnerReference,
} from "@kedge/machinery";

/** What is allowed of an object's metadata. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** What is wrong with a name; `prefix` when it is only the start of one. */
  readonly nameRule: (name: string, prefix: boolean) => readonly string[];
}

/** All that is wrong with metadata of a new object, in the server's order. A name must have been generated already. */
export function validateObjectMeta(
  metadata: Readonly<ObjectMeta>,
  rules: ObjectMetaRules,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateNames(metadata, rules, path),
    ...validateNamespace(metadata.namespace ?? "", rules.namespaced, path.child("namespace")),
    ...(metadata.generation !== undefined && metadata.generation < 0
      ? [fieldInvalid(path.child("generation"), metadata.generation, "must be greater than or equal to 0")]
      : []),
    ...validateLabels(metadata.labels ?? {}, path.child("labels")),
    ...validateAnnotations(metadata.annotations ?? {}, path.child("annotations")),
    ...validateOwnerReferences(metadata.ownerReferences ?? [], path.child("ownerReferences")),
    ...validateFinalizers(metadata.finalizers ?? [], path.child("finalizers")),
  ];
}

function validateNames(
  { name = "", generateName = "" }: Readonly<ObjectMeta>,
  { nameRule }: ObjectMetaRules,
  path: FieldPath,
): FieldError[] {
  const complaints = (field: string, value: string, prefix: boolean): FieldError[] =>
    nameRule(value, prefix).map((detail) => fieldInvalid(path.child(field), value, detail));
  return [
    ...(generateName === "" ? [] : complaints("generateName", generateName, true)),
    ...(name === ""
      ? [fieldRequired(path.child("name"), "name or generateName is required")]
      : complaints("name", name, false)),
  ];
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) return namespace === "" ? [] : [fieldForbidden(path, "not allowed on this type")];
  if (namespace === "") return [fieldRequired(path)];
  return validateDns1123Label(namespace).map((detail) => fieldInvalid(path, namespace, detail));
}

/** Keys are qualified names, values are short. */
export function validateLabels(labels: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((detail) => fieldInvalid(path, key, detail)),
    ...validateLabelValue(value).map((detail) => fieldInvalid(path, value, detail)),
  ]);
}

/** Keys are qualified names in any case; all of them together are at most 256 KiB. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  const errors = Object.keys(annotations).flatMap((key) =>
    validateQualifiedName(key.toLowerCase()).map((detail) => fieldInvalid(path, key, detail)),
  );
  return bytesOf(Object.entries(annotations).flat()) > maxAnnotationBytes
    ? [...errors, fieldTooLong(path, maxAnnotationBytes)]
    : errors;
}

const maxAnnotationBytes = 256 * 1024;

/** How long texts are in UTF-8. Encoded at once: there may be tens of thousands. */
function bytesOf(texts: readonly string[]): number {
  if (texts.length === 0) return 0;
  return new TextEncoder().encode(texts.join("\n")).length - (texts.length - 1);
}

/** Each names its owner in full, and at most one of them is the controller. */
export function validateOwnerReferences(
  references: readonly Partial<OwnerReference>[],
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  // Told with each error, made once: references by the thousand may all say that they are the controller.
  const all = references.map(inOrder);
  let controller: string | undefined;
  for (const reference of references) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const { kind = "", name = "" } = reference;
    const found = `${kind}/${name}`;
    if (controller === undefined) controller = found;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      errors.push(fieldInvalid(path, all, detail));
    }
  }
  return errors;
}

function validateOwnerReference(reference: Partial<OwnerReference>, path: FieldPath): FieldError[] {
  const { apiVersion = "", kind = "", name = "" } = reference;
  const uid: string = reference.uid ?? "";
  const version = /^(?:[^/]*\/)?([^/]*)$/u.exec(apiVersion)?.[1] ?? "";
  return [
    ...(version === ""
      ? [fieldInvalid(path.child("apiVersion"), apiVersion, "version must not be empty")]
      : []),
    ...(kind === "" ? [fieldInvalid(path.child("kind"), kind, "must not be empty")] : []),
    ...(name === "" ? [fieldInvalid(path.child("name"), name, "must not be empty")] : []),
    ...(uid === "" ? [fieldInvalid(path.child("uid"), uid, "must not be empty")] : []),
    ...(apiVersion === "v1" && kind === "Event"
      ? [fieldInvalid(path, inOrder(reference), "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ];
}

/** As the server prints it: a `Map` is printed in its own order, which here is that of the Go struct. */
function inOrder(reference: Partial<OwnerReference>): ReadonlyMap<string, unknown> {
  const { apiVersion = "", kind = "", name = "", uid, controller, blockOwnerDeletion } = reference;
  const fields = { apiVersion, kind, name, uid: uid ?? "", controller, blockOwnerDeletion };
  return new Map(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Finalizers are qualified names, and those of the two ways of deleting dependents exclude each other. */
function validateFinalizers(finalizers: readonly string[], path: FieldPath): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    validateQualifiedName(finalizer).map((detail) => fieldInvalid(path, finalizer, detail)),
  );
  if (!finalizers.includes("orphan") || !finalizers.includes("foregroundDeletion")) return errors;
  const detail = "finalizer orphan and foregroundDeletion cannot be both set";
  return [...errors, fieldInvalid(path, finalizers, detail)];
}
