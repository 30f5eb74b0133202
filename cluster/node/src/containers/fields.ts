import { parseQuantity, quantityMilliValue, quantityValue } from "@kedge/machinery";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import { ConfigError } from "./config-error.ts";

/** What of a pod is known on the node only. */
export interface PodAddresses {
  readonly podAddress: string;
  readonly hostAddress: string;
}

/** The value of a field of the pod that `fieldRef` names. */
export function fieldValue(pod: ApiPod, path: string, addresses: PodAddresses): string {
  const { metadata, spec } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/u.exec(path);
  if (keyed !== null) {
    const [, which, key = ""] = keyed;
    return (which === "labels" ? metadata.labels : metadata.annotations)?.[key] ?? "";
  }
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "metadata.labels":
      return lines(metadata.labels);
    case "metadata.annotations":
      return lines(metadata.annotations);
    case "spec.nodeName":
      return spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return addresses.hostAddress;
    case "status.podIP":
    case "status.podIPs":
      return addresses.podAddress;
    default:
      throw new ConfigError(`unsupported fieldPath: ${path}`);
  }
}

/** What stands for a limit that a container does not have. Quantities as text. */
export type NodeAllocatable = Readonly<Record<string, string>>;

/** The value that `resourceFieldRef` names, divided and rounded up. */
export function resourceValue(
  container: ContainerDefinition,
  field: { readonly resource: string; readonly divisor?: string | undefined },
  allocatable: NodeAllocatable,
): string {
  const [, which, resource = ""] = /^(limits|requests)\.(.+)$/u.exec(field.resource) ?? [];
  if (which === undefined) {
    throw new ConfigError(`unsupported container resource: ${field.resource}`);
  }
  const own = which === "limits" ? container.resources?.limits : container.resources?.requests;
  const text = own?.[resource] ?? (which === "limits" ? allocatable[resource] : undefined) ?? "0";
  const divisor =
    field.divisor === undefined || field.divisor === "" || field.divisor === "0" ? "1" : field.divisor;
  const unit = resource === "cpu" ? quantityMilliValue : quantityValue;
  const by = unit(parseQuantity(divisor));
  return String((unit(parseQuantity(text)) + by - 1n) / by);
}

/** Sorted lines of `key="value"`. */
function lines(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}
