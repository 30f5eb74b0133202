import { deepEqual } from "@kedge/machinery";
import type { BoundObjectReference } from "@kedge/machinery/kinds/authentication/v1";
import { Lease } from "@kedge/machinery/kinds/coordination/v1";
import { ResourceSlice } from "@kedge/machinery/kinds/resource/v1";
import { CSINode } from "@kedge/machinery/kinds/storage/v1";
import { Node, PersistentVolumeClaim, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { podReferences } from "../auth/node/pod-references.ts";
import { nodeOfUser } from "../registry/node-user.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import { lookUp } from "../registry/lookup.ts";
import type { ApiObject } from "../registry/types.ts";
import { refusal } from "./request.ts";
import type { AdmissionContext, AdmissionPlugin, AdmissionRequest } from "./types.ts";

/** Keeps agents of nodes to their own node, its lease, and the pods that are bound to it. */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  operations: ["CREATE", "UPDATE", "DELETE"],
  admit: (request, context) => {
    const node = nodeOfUser(request.user);
    if (node === undefined) return;
    const why =
      node === ""
        ? `could not determine node from user ${JSON.stringify(request.user.name)}`
        : faultOf({ request, context, node });
    if (why !== undefined) throw refusal(request, why);
  },
};

interface Asked {
  readonly request: AdmissionRequest;
  readonly context: AdmissionContext;
  readonly node: string;
}

function faultOf(asked: Asked): string | undefined {
  const { resource, subresource } = asked.request;
  switch (`${resource.group}/${resource.plural}`) {
    case `${Pod.group}/${Pod.plural}`:
      if (subresource === "") return podFault(asked);
      if (subresource === "status") return podStatusFault(asked);
      if (subresource === "eviction") return evictionFault(asked);
      return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
    case `${Node.group}/${Node.plural}`:
      return nodeFault(asked);
    case `${PersistentVolumeClaim.group}/${PersistentVolumeClaim.plural}`:
      return subresource === "status" ? undefined : "may only update PVC status";
    case `${ServiceAccount.group}/${ServiceAccount.plural}`:
      return subresource === "token" ? tokenFault(asked) : undefined;
    case `${Lease.group}/${Lease.plural}`:
      return leaseFault(asked);
    case `${CSINode.group}/${CSINode.plural}`:
      return asked.request.name === asked.node
        ? undefined
        : "can only access CSINode with the same name as the requesting node";
    case `${ResourceSlice.group}/${ResourceSlice.plural}`:
      return sliceFault(asked);
    default:
      return undefined;
  }
}

function sliceFault({ request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request;
  const concerned = operation === "CREATE" ? object : operation === "DELETE" ? oldObject : undefined;
  if (concerned === undefined || decodedAs(ResourceSlice, concerned).spec?.nodeName === node)
    return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

function podFault({ request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request;
  const quoted = JSON.stringify(node);
  if (operation === "DELETE") {
    const own = oldObject !== undefined && decodedAs(Pod, oldObject).spec?.nodeName === node;
    return own ? undefined : `node ${quoted} can only delete pods with spec.nodeName set to itself`;
  }
  if (operation !== "CREATE" || object === undefined)
    return `unexpected operation ${JSON.stringify(operation)}, node ${quoted} can only create and delete mirror pods`;
  const mirror = "kubernetes.io/config.mirror";
  if (object.metadata.annotations?.[mirror] === undefined)
    return `pod does not have ${JSON.stringify(mirror)} annotation, node ${quoted} can only create mirror pods`;
  if (decodedAs(Pod, object).spec?.nodeName !== node)
    return `node ${quoted} can only create pods with spec.nodeName set to itself`;
  const [owner, ...more] = object.metadata.ownerReferences ?? [];
  if (more.length > 0)
    return `node ${quoted} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `node ${quoted} can only create pods with an owner reference set to itself`;
  const referred = referredBy(decodedAs(Pod, object));
  return referred === undefined ? undefined : `node ${quoted} can not create pods that reference ${referred}`;
}

/** What a pod refers to besides itself: a node that could create such a pod would give itself the right to read it. */
function referredBy(pod: Decoded<Pod>): string | undefined {
  const { serviceAccountName = "", serviceAccount = "", resourceClaims = [], volumes = [] } = pod.spec ?? {};
  if (serviceAccountName !== "" || serviceAccount !== "") return "a service account";
  for (const reference of podReferences(pod)) {
    const [plural = ""] = reference.split("/");
    if (plural !== Pod.plural) return plural;
  }
  if (resourceClaims.length > 0) return "resourceclaims";
  const sources = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return sources.some((source) => source.serviceAccountToken !== undefined)
    ? "service account tokens"
    : undefined;
}

function podStatusFault({ request, node }: Asked): string | undefined {
  const { operation, object, oldObject } = request;
  if (operation !== "UPDATE" || object === undefined || oldObject === undefined)
    return `unexpected operation ${JSON.stringify(operation)}`;
  const quoted = JSON.stringify(node);
  if (decodedAs(Pod, oldObject).spec?.nodeName !== node)
    return `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`;
  if (!deepEqual(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {}))
    return `node ${quoted} cannot update labels through pod status`;
  return undefined;
}

function evictionFault({ request, context, node }: Asked): string | undefined {
  const { namespace, name } = request;
  const pod = lookUp(context.objects, Pod, { namespace, name });
  if (pod === undefined || pod.spec?.nodeName === node) return undefined;
  return `node ${node} can only evict pods with spec.nodeName set to itself`;
}

function nodeFault({ request, node }: Asked): string | undefined {
  const { operation, name, object, oldObject } = request;
  const quoted = JSON.stringify(node);
  if (name !== node) return `node ${quoted} is not allowed to modify node ${JSON.stringify(name)}`;
  if (operation === "CREATE" && object !== undefined) {
    const labels = forbiddenLabels(object.metadata.labels, undefined);
    return labels === "" ? undefined : `node ${quoted} is not allowed to set the following labels: ${labels}`;
  }
  if (object === undefined || oldObject === undefined) return undefined;
  if (!deepEqual(taintsOf(object), taintsOf(oldObject)))
    return `node ${quoted} is not allowed to modify taints`;
  if (!deepEqual(object.metadata.ownerReferences ?? [], oldObject.metadata.ownerReferences ?? []))
    return `node ${quoted} is not allowed to modify ownerReferences`;
  const labels = forbiddenLabels(object.metadata.labels, oldObject.metadata.labels);
  return labels === "" ? undefined : `is not allowed to modify labels: ${labels}`;
}

function taintsOf(object: Readonly<ApiObject>): unknown {
  return decodedAs(Node, object).spec?.taints ?? [];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** Of the labels that differ, those that only administrators set. */
function forbiddenLabels(one: Labels = {}, other: Labels = {}): string {
  const changed = [...Object.keys(one), ...Object.keys(other)].filter((key) => one[key] !== other[key]);
  return [...new Set(changed)].filter(isForbidden).toSorted().join(", ");
}

function isForbidden(label: string): boolean {
  const [namespace = ""] = label.includes("/") ? label.split("/") : [];
  const isIn = (domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`);
  if (isIn("node-restriction.kubernetes.io")) return true;
  if (!isIn("kubernetes.io") && !isIn("k8s.io")) return false;
  return !(kubeletLabels.has(label) || isIn("kubelet.kubernetes.io") || isIn("node.kubernetes.io"));
}

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

function tokenFault({ request, context, node }: Asked): string | undefined {
  const { operation, object, namespace } = request;
  if (operation !== "CREATE" || object === undefined) return undefined;
  // The decoder refuses what does not fit the schema.
  const spec = (object["spec"] ?? {}) as {
    readonly boundObjectRef?: Decoded<BoundObjectReference> | null;
    readonly audiences?: readonly string[];
  };
  const { apiVersion, kind, name = "", uid = "" } = spec.boundObjectRef ?? {};
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") return "node requested token not bound to a pod";
  if (uid === "") return "node requested token with a pod binding without a uid";
  const pod = lookUp(context.objects, Pod, { namespace, name });
  if (pod === undefined) return undefined;
  if (pod.metadata?.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec?.nodeName !== node) return "node requested token bound to a pod scheduled on a different node";
  const [audience = "", ...more] = spec.audiences ?? [];
  if (more.length > 0) return "node may only request 0 or 1 audiences";
  const mounted = (pod.spec.volumes ?? []).some((volume) =>
    volume.projected?.sources?.some(
      ({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience,
    ),
  );
  if (mounted) return undefined;
  return `audience ${JSON.stringify(audience)} not found in pod spec volume, system:node:${node} is not authorized to request tokens for this audience`;
}

function leaseFault({ request, node }: Asked): string | undefined {
  const { namespace, name } = request;
  if (namespace !== "kube-node-lease") {
    return 'can only access leases in the "kube-node-lease" system namespace';
  }
  return name === node ? undefined : "can only access node lease with the same name as the requesting node";
}
