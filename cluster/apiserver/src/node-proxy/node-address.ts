import { badRequest, internalError, notFound } from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { ConnectTarget } from "../registry/types.ts";

/** Where the kubelet API of a node is. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The name of the node that runs a pod; undefined while it has none. */
export function nodeNameOf({ object }: Pick<ConnectTarget, "object">): string | undefined {
  const name = decodedAs(Pod, object).spec?.nodeName;
  return name === "" ? undefined : name;
}

/** Where the node of a pod is reached. Throws a 400 when the pod has none. */
export function nodeAddressOf(target: Pick<ConnectTarget, "object" | "objects">): NodeAddress {
  const name = nodeNameOf(target);
  if (name === undefined) {
    throw badRequest(`pod ${target.object.metadata.name ?? ""} does not have a host assigned`);
  }
  const { objects } = target;
  const resource = objects.registry.byKind("", "Node");
  const found = resource === undefined ? undefined : objects.get(resource, { name });
  if (found === undefined) throw notFound({ group: "", plural: "nodes" }, name);
  const address = addressOf(decodedAs(Node, found).status);
  if (address !== undefined) return address;
  throw internalError(new Error(`no preferred addresses found; known addresses: []`));
}

/** Where a node says that it is reached; undefined while it says nothing. */
export function addressOf(status: Decoded<Node>["status"]): NodeAddress | undefined {
  const addresses = status?.addresses ?? [];
  for (const wanted of addressTypes) {
    const host = addresses.find(({ type }) => type === wanted)?.address ?? "";
    if (host !== "") return { host, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? kubeletPort };
  }
  return undefined;
}

/** In this order, as kubeadm sets up API servers. */
const addressTypes = ["InternalIP", "ExternalIP", "Hostname"];

const kubeletPort = 10250;
