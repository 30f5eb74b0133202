import {
  compareQuantities,
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  parseQuantity,
  quantitySign,
  validateDns1123Subdomain,
  validateLabelSelector,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { PersistentVolumeClaimSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { immutable, named, optionalOneOf } from "../validation/field-rules.ts";

/** What is wrong with a claim by itself. */
export function validateClaim(object: StoredApiObject): FieldError[] {
  return validateClaimSpec(decodedAs(PersistentVolumeClaim, object).spec ?? {}, fieldPath("spec"));
}

/** What is wrong with the spec of a claim, or of a template for claims. */
export function validateClaimSpec(spec: Decoded<PersistentVolumeClaimSpec>, path: FieldPath): FieldError[] {
  const modes = path.child("accessModes");
  const { storageClassName = "" } = spec;
  const accessModes = spec.accessModes ?? [];
  return [
    ...(accessModes.length === 0 ? [fieldRequired(modes, "at least 1 access mode is required")] : []),
    ...validateLabelSelector(labelSelectorOf(spec.selector), path.child("selector")),
    ...validateAccessModes(accessModes, modes),
    ...storageErrors(spec, path.child("resources").key("storage")),
    ...(storageClassName === ""
      ? []
      : named(storageClassName, validateDns1123Subdomain, path.child("storageClassName"))),
    ...optionalOneOf(spec.volumeMode, ["Block", "Filesystem"], path.child("volumeMode")),
    ...(["dataSource", "dataSourceRef"] as const).flatMap((field) =>
      sourceErrors(spec[field], path.child(field)),
    ),
    ...sameSourceErrors(spec, path),
  ];
}

/** Who may use a volume at the same time. */
export function validateAccessModes(modes: readonly string[], path: FieldPath): FieldError[] {
  const isAlone = modes.includes("ReadWriteOncePod");
  return [
    ...modes.flatMap((mode) => optionalOneOf(mode, accessModes, path)),
    ...(isAlone && modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))
      ? [fieldForbidden(path, "may not use ReadWriteOncePod with other access modes")]
      : []),
  ];
}

/** What is wrong with changing a claim so: once it is bound it may only grow. */
export function validateClaimUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const claim = decodedAs(PersistentVolumeClaim, object);
  const before = decodedAs(PersistentVolumeClaim, previous);
  const now = claim.spec ?? {};
  const then = before.spec ?? {};
  const isBound = claim.status?.phase === "Bound";
  return [
    ...(deepEqual(withAllowed(now, then, isBound), then)
      ? []
      : [fieldForbidden(fieldPath("spec"), immutableText)]),
    ...sizeErrors(now, then, before.status?.capacity?.["storage"]),
    ...immutable(now.volumeMode, then.volumeMode, fieldPath("volumeMode")),
  ];
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Kubernetes shows the differences of its own types below this; we name the rule only. */
const immutableText =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function storageErrors({ resources }: Decoded<PersistentVolumeClaimSpec>, path: FieldPath): FieldError[] {
  const storage = resources?.requests?.["storage"];
  if (storage === undefined) return [fieldRequired(path)];
  if (quantitySign(parseQuantity(storage)) > 0) return [];
  return [fieldInvalid(path, storage, "must be greater than zero")];
}

function sourceErrors(
  source: Decoded<PersistentVolumeClaimSpec>["dataSource"],
  path: FieldPath,
): FieldError[] {
  if (source === undefined) return [];
  const { name = "", kind = "" } = source;
  const group = source.apiGroup ?? "";
  return [
    ...(name === "" ? [fieldRequired(path.child("name"))] : []),
    ...(kind === "" ? [fieldRequired(path.child("kind"))] : []),
    ...(group === "" && kind !== "PersistentVolumeClaim"
      ? [fieldInvalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(group === "" ? [] : named(group, validateDns1123Subdomain, path.child("apiGroup"))),
  ];
}

/** Kubernetes shows a path, which is an empty object in JSON, where the value should be. */
function sameSourceErrors(
  { dataSource, dataSourceRef }: Decoded<PersistentVolumeClaimSpec>,
  path: FieldPath,
): FieldError[] {
  if (dataSource === undefined || dataSourceRef === undefined) return [];
  const isSame = (["apiGroup", "kind", "name"] as const).every(
    (field) => (dataSource[field] ?? "") === (dataSourceRef[field] ?? ""),
  );
  return isSame ? [] : [fieldInvalid(path, {}, "must match dataSourceRef")];
}

function withAllowed(
  now: Decoded<PersistentVolumeClaimSpec>,
  then: Decoded<PersistentVolumeClaimSpec>,
  isBound: boolean,
): Decoded<PersistentVolumeClaimSpec> {
  return {
    ...now,
    ...(then.volumeName === undefined && { volumeName: undefined }),
    // A claim that waited for a class may get one.
    ...(then.storageClassName === undefined && { storageClassName: undefined }),
    ...(isBound && { volumeAttributesClassName: then.volumeAttributesClassName }),
    ...(isBound &&
      now.resources?.requests !== undefined && {
        resources: {
          ...now.resources,
          requests: { ...now.resources.requests, storage: then.resources?.requests?.["storage"] },
        },
      }),
  };
}

function sizeErrors(
  now: Decoded<PersistentVolumeClaimSpec>,
  then: Decoded<PersistentVolumeClaimSpec>,
  capacity: string | undefined,
): FieldError[] {
  const size = parseQuantity(now.resources?.requests?.["storage"] ?? "0");
  const known = parseQuantity(then.resources?.requests?.["storage"] ?? "0");
  if (compareQuantities(size, known) >= 0) return [];
  if (compareQuantities(size, parseQuantity(capacity ?? "0")) > 0) return [];
  const path = fieldPath("spec", "resources", "requests", "storage");
  return [fieldForbidden(path, "field can not be less than status.capacity")];
}
