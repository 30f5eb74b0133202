import type { DeepReadonly } from "@kedge/machinery";
import type { ConfigMap, EnvVar, Secret } from "@kedge/machinery/kinds/core/v1";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import { ConfigError } from "./config-error.ts";
import { expand } from "./expand.ts";
import { fieldValue, resourceValue, type NodeAllocatable, type PodAddresses } from "./fields.ts";

/** Objects of the pod's namespace that were read beforehand; undefined: there is none. */
export interface ReferencedObjects {
  configMap(name: string): DeepReadonly<ConfigMap> | undefined;
  secret(name: string): DeepReadonly<Secret> | undefined;
}

/** All that a container's environment is made of. */
export interface EnvironmentInput {
  readonly pod: ApiPod;
  readonly container: ContainerDefinition;
  readonly addresses: PodAddresses;
  readonly objects: ReferencedObjects;
  /** From `serviceEnvironment`. */
  readonly services: Readonly<Record<string, string>>;
  readonly allocatable: NodeAllocatable;
}

/** The variables of a container, but for those of its image. Throws a `ConfigError` that names what is missing. */
export function environmentOf(input: EnvironmentInput): Record<string, string> {
  const own: Record<string, string> = {};
  for (const source of input.container.envFrom ?? []) Object.assign(own, valuesFrom(source, input));
  const lookup = (name: string): string | undefined => own[name] ?? input.services[name];
  for (const variable of input.container.env ?? []) {
    const value =
      variable.valueFrom === undefined
        ? expand(variable.value ?? "", lookup)
        : valueFrom(variable, variable.valueFrom, input);
    if (value !== undefined) own[variable.name] = value;
  }
  return { ...input.services, ...own };
}

/** The names of the objects that a container's environment needs. */
export function environmentReferences(container: ContainerDefinition): {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
} {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    add(configMaps, configMapRef?.name);
    add(secrets, secretRef?.name);
  }
  for (const { valueFrom: from } of container.env ?? []) {
    add(configMaps, from?.configMapKeyRef?.name);
    add(secrets, from?.secretKeyRef?.name);
  }
  return { configMaps, secrets };
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && name !== "") names.add(name);
}

type EnvFrom = NonNullable<ContainerDefinition["envFrom"]>[number];

function valuesFrom(source: EnvFrom, { objects }: EnvironmentInput): Record<string, string> {
  const prefix = source.prefix ?? "";
  if (source.configMapRef !== undefined) {
    const { name = "", optional } = source.configMapRef;
    const found = objects.configMap(name);
    if (found === undefined && optional !== true) throw new ConfigError(`configmap "${name}" not found`);
    return prefixed(prefix, Object.entries(found?.data ?? {}));
  }
  if (source.secretRef !== undefined) {
    const { name = "", optional } = source.secretRef;
    const found = objects.secret(name);
    if (found === undefined && optional !== true) throw new ConfigError(`secret "${name}" not found`);
    return prefixed(
      prefix,
      Object.entries(found?.data ?? {}).map(([key, value]) => [key, decode(value)]),
    );
  }
  return {};
}

function prefixed(prefix: string, entries: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.map(([key, value]) => [`${prefix}${key}`, value]));
}

/** Undefined: the variable is left out, because what it names is optional and not there. */
function valueFrom(
  variable: DeepReadonly<EnvVar>,
  from: NonNullable<DeepReadonly<EnvVar>["valueFrom"]>,
  input: EnvironmentInput,
): string | undefined {
  const { pod, container, objects } = input;
  const { namespace } = pod.metadata;
  if (from.fieldRef !== undefined) return fieldValue(pod, from.fieldRef.fieldPath, input.addresses);
  if (from.resourceFieldRef !== undefined) {
    const target = containerNamed(pod, from.resourceFieldRef.containerName) ?? container;
    return resourceValue(target, from.resourceFieldRef, input.allocatable);
  }
  if (from.configMapKeyRef !== undefined) {
    const { name = "", key, optional } = from.configMapKeyRef;
    const found = objects.configMap(name);
    const value = found?.data?.[key];
    if (value !== undefined || optional === true) return value;
    throw missing("configmap", "ConfigMap", { namespace, name, key, found: found !== undefined });
  }
  if (from.secretKeyRef !== undefined) {
    const { name = "", key, optional } = from.secretKeyRef;
    const found = objects.secret(name);
    const value = found?.data?.[key];
    if (value !== undefined) return decode(value);
    if (optional === true) return undefined;
    throw missing("secret", "Secret", { namespace, name, key, found: found !== undefined });
  }
  throw new ConfigError(
    `env ${variable.name}: this node knows fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef only`,
  );
}

function missing(
  plural: string,
  kind: string,
  at: {
    readonly namespace: string;
    readonly name: string;
    readonly key: string;
    readonly found: boolean;
  },
): ConfigError {
  return new ConfigError(
    at.found
      ? `couldn't find key ${at.key} in ${kind} ${at.namespace}/${at.name}`
      : `${plural} "${at.name}" not found`,
  );
}

function containerNamed(pod: ApiPod, name: string | undefined): ContainerDefinition | undefined {
  if (name === undefined || name === "") return undefined;
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find(
    (container) => container.name === name,
  );
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
