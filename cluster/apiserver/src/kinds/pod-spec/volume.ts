import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  parseQuantity,
  quantitySign,
  validateDns1123Label,
  validateDns1123Subdomain,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type { Volume } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { validateDownwardFile } from "./downward-file.ts";
import { named, oneOf, optionalOneOf, required } from "../validation/field-rules.ts";
import { noBacksteps } from "../validation/path-text.ts";
import { validateClaimSpec } from "../persistent-volume-claim/validation.ts";
import { validateItems, validateMode } from "./volume-files.ts";
import { validateProjection } from "./volume-projection.ts";

/** What is wrong with a pod's volumes, and the names of those that are right: mounts may name only these. */
export function validateVolumes(
  volumes: readonly Decoded<Volume>[],
  path: FieldPath,
  /** Of the pod; a template has none. */
  podName?: string,
): { readonly errors: FieldError[]; readonly known: KnownVolumes } {
  const known = new Map<string, "block" | "other">();
  const errors = volumes.flatMap((volume, i) => {
    const { name = "" } = volume;
    const namePath = path.index(i).child("name");
    const wrong = [
      ...sourceErrors(volume, path.index(i)),
      ...podErrors(volume, path.index(i), podName),
      ...(name === "" ? [fieldRequired(namePath)] : named(name, validateDns1123Label, namePath)),
      ...(known.has(name) ? [fieldDuplicate(namePath, name)] : []),
    ];
    if (wrong.length === 0) known.set(name, kindOf(volume));
    return wrong;
  });
  return { errors, known };
}

/** The volumes that are right, and whether a device may be made of them. */
export type KnownVolumes = ReadonlyMap<string, "block" | "other">;

function kindOf({ persistentVolumeClaim, ephemeral }: Decoded<Volume>): "block" | "other" {
  return persistentVolumeClaim === undefined && ephemeral === undefined ? "other" : "block";
}

type Rule = (volume: Decoded<Volume>, path: FieldPath) => FieldError[];

/** In the order in which Kubernetes looks for them; sources without an entry are refused only when they are second. */
const sources: readonly (readonly [keyof Volume, Rule])[] = [
  ["emptyDir", emptyDirErrors],
  ["hostPath", hostPathErrors],
  ["gitRepo", noRule],
  ["gcePersistentDisk", noRule],
  ["awsElasticBlockStore", noRule],
  ["secret", secretErrors],
  ["nfs", ({ nfs }, path) => validateNfs(nfs, path)],
  ["iscsi", noRule],
  ["glusterfs", noRule],
  ["flocker", noRule],
  ["persistentVolumeClaim", claimErrors],
  ["rbd", noRule],
  ["cinder", noRule],
  ["cephfs", noRule],
  ["quobyte", noRule],
  ["downwardAPI", downwardErrors],
  ["fc", noRule],
  ["flexVolume", noRule],
  ["configMap", configMapErrors],
  ["azureFile", noRule],
  ["vsphereVolume", noRule],
  ["photonPersistentDisk", noRule],
  ["portworxVolume", noRule],
  ["azureDisk", noRule],
  ["storageos", noRule],
  ["projected", projectedErrors],
  ["scaleIO", noRule],
  ["csi", csiErrors],
  ["ephemeral", ephemeralErrors],
  ["image", imageErrors],
];

function sourceErrors(volume: Decoded<Volume>, path: FieldPath): FieldError[] {
  const given = sources.filter(([source]) => volume[source] !== undefined);
  if (given.length === 0) return [fieldRequired(path, "must specify a volume type")];
  return given.flatMap(([source, rule], i) =>
    i === 0
      ? rule(volume, path.child(source))
      : [fieldForbidden(path.child(spelling[source] ?? source), "may not specify more than 1 volume type")],
  );
}

/**
 * What is asked of pods only, not of templates. An ephemeral volume is a claim, named after its pod and itself; Kubernetes
 * shows its place as the volume's name.
 */
function podErrors(volume: Decoded<Volume>, path: FieldPath, podName: string | undefined): FieldError[] {
  const { name = "", image } = volume;
  const first = sources.find(([source]) => volume[source] !== undefined)?.[0];
  if (podName === undefined) return [];
  if (first === "image") return required(image?.reference, path.child("image", "reference"));
  if (first !== "ephemeral" || podName === "" || name === "") return [];
  const claim = `${podName}-${name}`;
  return validateDns1123Subdomain(claim).map((why) =>
    fieldInvalid(path.child("name"), name, `PVC name ${JSON.stringify(claim)}: ${why}`),
  );
}

/** Kubernetes misspells these here, and only here. */
const spelling: Readonly<Record<string, string>> = { downwardAPI: "downwarAPI", cephfs: "cephFS" };

function noRule(): FieldError[] {
  return [];
}

function emptyDirErrors({ emptyDir }: Decoded<Volume>, path: FieldPath): FieldError[] {
  const limit = emptyDir?.sizeLimit;
  if (limit === undefined || quantitySign(parseQuantity(limit)) >= 0) return [];
  return [fieldForbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity")];
}

function hostPathErrors({ hostPath }: Decoded<Volume>, path: FieldPath): FieldError[] {
  const { path: file = "", type } = hostPath ?? {};
  if (file === "") return [fieldRequired(path.child("path"))];
  return [
    ...noBacksteps(file, path.child("path")),
    ...optionalOneOf(type, hostPathTypes, path.child("type")),
  ];
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function secretErrors({ secret }: Decoded<Volume>, path: FieldPath): FieldError[] {
  return [
    ...required(secret?.secretName, path.child("secretName")),
    ...validateMode(secret?.defaultMode, path.child("defaultMode")),
    ...validateItems(secret?.items, path.child("items")),
  ];
}

function configMapErrors({ configMap }: Decoded<Volume>, path: FieldPath): FieldError[] {
  return [
    ...required(configMap?.name, path.child("name")),
    ...validateMode(configMap?.defaultMode, path.child("defaultMode")),
    ...validateItems(configMap?.items, path.child("items")),
  ];
}

function imageErrors({ image }: Decoded<Volume>, path: FieldPath): FieldError[] {
  return oneOf(image?.pullPolicy, ["Always", "IfNotPresent", "Never"], path.child("pullPolicy"));
}

function claimErrors({ persistentVolumeClaim }: Decoded<Volume>, path: FieldPath): FieldError[] {
  return required(persistentVolumeClaim?.claimName, path.child("claimName"));
}

function projectedErrors({ projected }: Decoded<Volume>, path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateMode(projected?.defaultMode, path.child("defaultMode")),
    ...(projected?.sources ?? []).flatMap((source, i) =>
      validateProjection(source, path.child("sources").index(i), { volume: path, taken }),
    ),
  ];
}

function ephemeralErrors({ ephemeral }: Decoded<Volume>, path: FieldPath): FieldError[] {
  const template = ephemeral?.volumeClaimTemplate;
  const at = path.child("volumeClaimTemplate");
  return template === undefined
    ? [fieldRequired(at)]
    : validateClaimSpec(template.spec ?? {}, at.child("spec"));
}

function downwardErrors({ downwardAPI }: Decoded<Volume>, path: FieldPath): FieldError[] {
  return [
    ...validateMode(downwardAPI?.defaultMode, path.child("defaultMode")),
    ...(downwardAPI?.items ?? []).flatMap((file) => validateDownwardFile(file, path)),
  ];
}

/** What is wrong with a volume of NFS. */
export function validateNfs(nfs: Decoded<Volume>["nfs"], path: FieldPath): FieldError[] {
  const { server, path: file = "" } = nfs ?? {};
  return [
    ...required(server, path.child("server")),
    ...required(file, path.child("path")),
    ...(file.startsWith("/") ? [] : [fieldInvalid(path.child("path"), file, "must be an absolute path")]),
  ];
}

function csiErrors({ csi }: Decoded<Volume>, path: FieldPath): FieldError[] {
  const { driver = "" } = csi ?? {};
  const at = path.child("driver");
  if (driver === "") return [fieldRequired(at)];
  return validateDns1123Subdomain(driver.toLowerCase()).map((fault) => fieldInvalid(at, driver, fault));
}
