import {
  fieldInvalid,
  fieldRequired,
  fieldNotSupported,
  validateConfigMapKey,
  validateDns1123Subdomain,
  validateQualifiedName,
  validateRelaxedEnvVarName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with a container's environment variables. */
export function validateEnv(variables: readonly Decoded<EnvVar>[], path: FieldPath): FieldError[] {
  return variables.flatMap((variable, i) => {
    const namePath = path.index(i).child("name");
    const { name = "" } = variable;
    return [
      ...(name === "" ? [fieldRequired(namePath)] : named(name, validateRelaxedEnvVarName, namePath)),
      ...sourceErrors(variable, path.index(i).child("valueFrom")),
    ];
  });
}

/** What is wrong with the sources that a container takes all its variables from. */
export function validateEnvFrom(sources: readonly Decoded<EnvFromSource>[], path: FieldPath): FieldError[] {
  return sources.flatMap(({ prefix = "", configMapRef, secretRef }, i) => {
    const given = [
      { ref: configMapRef, name: "configMapRef" },
      { ref: secretRef, name: "secretRef" },
    ].filter(({ ref }) => ref !== undefined);
    const item = path.index(i);
    return [
      ...(prefix === "" ? [] : named(prefix, validateRelaxedEnvVarName, item.child("prefix"))),
      ...given.flatMap(({ ref, name }) => nameErrors(ref?.name, item.child(name, "name"))),
      ...(given.length === 0
        ? [fieldInvalid(path, "", "must specify one of: `configMapRef` or `secretRef`")]
        : []),
      ...(given.length > 1 ? [fieldInvalid(path, "", moreThanOne)] : []),
    ];
  });
}

/** A field of the pod, by its path. */
export function validateFieldRef(
  { fieldPath = "", apiVersion = "" }: Decoded<ObjectFieldSelector>,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (apiVersion === "") return [fieldRequired(path.child("apiVersion"))];
  if (fieldPath === "") return [fieldRequired(path.child("fieldPath"))];
  if (apiVersion !== "v1") {
    const why = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    return [fieldInvalid(path.child("fieldPath"), fieldPath, why)];
  }
  const subscript = /^(?<map>metadata\.(?:labels|annotations))\['(?<key>.*)'\]$/u.exec(fieldPath)?.groups;
  if (subscript !== undefined) {
    const { map, key = "" } = subscript;
    return named(map === "metadata.annotations" ? key.toLowerCase() : key, validateQualifiedName, path);
  }
  if (!convertible.has(fieldPath)) {
    const why = `error converting fieldPath: field label not supported: ${fieldPath}`;
    return [fieldInvalid(path.child("fieldPath"), fieldPath, why)];
  }
  return supported.includes(fieldPath)
    ? []
    : [fieldNotSupported(path.child("fieldPath"), fieldPath, supported)];
}

/** An amount of a resource that a container asks for or is held to. */
export function validateResourceRef(
  { containerName = "", resource = "", divisor = "0" }: Decoded<ResourceFieldSelector>,
  place: "file" | "variable",
  path: FieldPath,
): FieldError[] {
  const isKnown = resourceFields.includes(resource) || /^(?:limits|requests)\.hugepages-/u.test(resource);
  const at = path.child("resource");
  return [
    ...(place === "file" && containerName === ""
      ? [fieldRequired(path.child("containerName"))]
      : resource === ""
        ? [fieldRequired(at)]
        : isKnown
          ? []
          : [fieldNotSupported(at, resource, resourceFields)]),
    ...divisorErrors(resource, divisor, path.child("divisor")),
  ];
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** Kubernetes shows the resource here, not the divisor. */
function divisorErrors(resource: string, divisor: string, path: FieldPath): FieldError[] {
  if (divisor === "0") return [];
  const name = resource.replace(/^(?:limits|requests)\./u, "");
  if (name === "cpu") {
    if (divisor === "1" || divisor === "1m") return [];
    return [
      fieldInvalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"),
    ];
  }
  const title = divided.get(name) ?? (name.startsWith("hugepages-") ? "hugepages" : undefined);
  if (title === undefined || byteDivisors.includes(divisor)) return [];
  const why = `only divisor's values ${byteDivisors.join(", ")} are supported with the ${title} resource`;
  return [fieldInvalid(path, resource, why)];
}

const byteDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const divided: ReadonlyMap<string, string> = new Map([
  ["memory", "memory"],
  ["ephemeral-storage", "local ephemeral storage"],
]);

const envFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** Fields that a pod can be asked for at all; where they may be used is another question. */
const convertible: ReadonlySet<string> = new Set([
  ...envFields,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;
const moreThanOne = "may not have more than one field specified at a time";

function sourceErrors({ value = "", valueFrom }: Decoded<EnvVar>, path: FieldPath): FieldError[] {
  if (valueFrom === undefined) return [];
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  const errors = refErrors(valueFrom, path);
  if (given.length === 0) {
    const all = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(fieldInvalid(path, "", `must specify one of: ${all}`));
  } else if (value !== "") {
    errors.push(fieldInvalid(path, "", "may not be specified when `value` is not empty"));
  } else if (given.length > 1) {
    errors.push(fieldInvalid(path, "", moreThanOne));
  }
  return errors;
}

function refErrors(source: Decoded<EnvVarSource>, path: FieldPath): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  return [
    ...(fieldRef === undefined ? [] : validateFieldRef(fieldRef, envFields, path.child("fieldRef"))),
    ...(resourceFieldRef === undefined
      ? []
      : validateResourceRef(resourceFieldRef, "variable", path.child("resourceFieldRef"))),
    ...(configMapKeyRef === undefined ? [] : keyErrors(configMapKeyRef, path.child("configMapKeyRef"))),
    ...(secretKeyRef === undefined ? [] : keyErrors(secretKeyRef, path.child("secretKeyRef"))),
  ];
}

function keyErrors(
  { name = "", key = "" }: { name?: string | undefined; key?: string | undefined },
  path: FieldPath,
): FieldError[] {
  return [
    ...named(name, validateDns1123Subdomain, path.child("name")),
    ...(key === ""
      ? [fieldRequired(path.child("key"))]
      : named(key, validateConfigMapKey, path.child("key"))),
  ];
}

function nameErrors(name: string | undefined, path: FieldPath): FieldError[] {
  return name === undefined || name === ""
    ? [fieldRequired(path)]
    : named(name, validateDns1123Subdomain, path);
}
