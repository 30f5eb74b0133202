import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  parseQuantity,
  quantitySign,
  quantityValue,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { PersistentVolumeSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { validateNodeSelector } from "../pod-spec/affinity.ts";
import { immutable, named, optionalOneOf, required } from "../validation/field-rules.ts";
import { noBacksteps } from "../validation/path-text.ts";
import { validateNfs } from "../pod-spec/volume.ts";
import { validateAccessModes } from "../persistent-volume-claim/validation.ts";

/** What is wrong with a volume by itself. */
export function validateVolume(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(PersistentVolume, object).spec ?? {};
  const path = fieldPath("spec");
  const { storageClassName = "" } = spec;
  const accessModes = spec.accessModes ?? [];
  const modes = path.child("accessModes");
  return [
    ...(accessModes.length === 0 ? [fieldRequired(modes)] : []),
    ...validateAccessModes(accessModes, modes),
    ...capacityErrors(spec, path.child("capacity")),
    ...optionalOneOf(
      spec.persistentVolumeReclaimPolicy,
      ["Delete", "Recycle", "Retain"],
      path.child("persistentVolumeReclaimPolicy"),
    ),
    ...affinityErrors(spec, path.child("nodeAffinity")),
    ...sourceErrors(spec, path),
    ...(storageClassName === ""
      ? []
      : named(storageClassName, validateDns1123Subdomain, path.child("storageClassName"))),
    ...optionalOneOf(spec.volumeMode, ["Block", "Filesystem"], path.child("volumeMode")),
  ];
}

/** What is wrong with changing a volume so: what it stands for stays. */
export function validateVolumeUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const now = decodedAs(PersistentVolume, object).spec ?? {};
  const then = decodedAs(PersistentVolume, previous).spec ?? {};
  const isSame = sourcesOf(now).every((source) => deepEqual(now[source], then[source]));
  return [
    ...(isSame && sourcesOf(then).length === sourcesOf(now).length
      ? []
      : [
          fieldForbidden(
            fieldPath("spec", "persistentvolumesource"),
            "spec.persistentvolumesource is immutable after creation",
          ),
        ]),
    ...immutable(now.volumeMode, then.volumeMode, fieldPath("volumeMode")),
    ...(then.nodeAffinity !== undefined && now.nodeAffinity === undefined
      ? [
          fieldInvalid(
            fieldPath("nodeAffinity"),
            null,
            "field is immutable, except for updating from beta label to GA",
          ),
        ]
      : []),
  ];
}

function capacityErrors({ capacity: given }: Decoded<PersistentVolumeSpec>, path: FieldPath): FieldError[] {
  const capacity = given ?? {};
  const hasNone = given === undefined;
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [fieldRequired(path)] : []),
    ...(capacity["storage"] === undefined || names.length > 1
      ? [fieldNotSupported(path, hasNone ? null : capacity, ["storage"])]
      : []),
    ...Object.entries(capacity).flatMap(([name, amount = "0"]) => amountErrors(amount, path.key(name))),
  ];
}

function sourceErrors(spec: Decoded<PersistentVolumeSpec>, path: FieldPath): FieldError[] {
  const [first, ...others] = sourcesOf(spec);
  if (first === undefined) return [fieldRequired(path, "must specify a volume type")];
  return [
    ...(first === "hostPath" || first === "local"
      ? pathErrors(spec[first]?.path, path.child(first, "path"))
      : []),
    ...(first === "nfs" ? validateNfs(spec.nfs, path.child("nfs")) : []),
    ...(first === "csi"
      ? (["driver", "volumeHandle"] as const).flatMap((field) =>
          required(spec.csi?.[field], path.child("csi", field)),
        )
      : []),
    ...(first === "local" && spec.nodeAffinity === undefined
      ? [fieldRequired(path.child("nodeAffinity"), "Local volume requires node affinity")]
      : []),
    ...others.map((source) => fieldForbidden(path.child(source), "may not specify more than 1 volume type")),
  ];
}

function pathErrors(file: string | undefined, path: FieldPath): FieldError[] {
  return file === undefined || file === "" ? [fieldRequired(path)] : noBacksteps(file, path);
}

function amountErrors(amount: string, path: FieldPath): FieldError[] {
  const quantity = parseQuantity(amount);
  return [
    ...(quantitySign(quantity) < 0
      ? [fieldInvalid(path, Number(quantityValue(quantity)), "must be a valid resource quantity")]
      : []),
    ...(quantitySign(quantity) > 0 ? [] : [fieldInvalid(path, amount, "must be greater than zero")]),
  ];
}

function affinityErrors({ nodeAffinity }: Decoded<PersistentVolumeSpec>, path: FieldPath): FieldError[] {
  if (nodeAffinity === undefined) return [];
  const { required: nodes } = nodeAffinity;
  if (nodes === undefined)
    return [fieldRequired(path.child("required"), "must specify required node constraints")];
  return validateNodeSelector(nodes, path.child("required"));
}

const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

function sourcesOf(spec: Decoded<PersistentVolumeSpec>): (typeof sources)[number][] {
  return sources.filter((source) => spec[source] !== undefined);
}
