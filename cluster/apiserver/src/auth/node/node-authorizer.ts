import { exactFieldOf, parseFieldSelector } from "@kedge/machinery";
import { ruleAllows, type Rule } from "../rbac/rule.ts";
import type { Attributes, Authorizer, Decision } from "../types.ts";
import type { NodeRelations } from "./node-relations.ts";
import { nodeOfUser } from "../../registry/node-user.ts";

type Resource = NonNullable<Attributes["resource"]>;

interface Asked {
  readonly node: string;
  readonly verb: string;
  readonly resource: Resource;
  readonly relations: NodeRelations;
}

const yes: Decision = { allowed: true };
const no = (reason?: string): Decision => ({ allowed: false, ...(reason !== undefined && { reason }) });

/**
 * What agents of nodes may do: what the role `system:node` says (`rules`), and of secrets, config maps, claims, volumes,
 * accounts and pods only what the pods on the node need; of nodes, leases and what drivers say of them only their own.
 */
export function nodeAuthorizer(relations: NodeRelations, rules: () => readonly Rule[]): Authorizer {
  return (attributes) => {
    const node = nodeOfUser(attributes.user);
    if (node === undefined) return no();
    if (node === "") return no(`unknown node for user ${JSON.stringify(attributes.user.name)}`);
    const { resource, verb } = attributes;
    const special = resource && specials.get(`${resource.group}/${resource.plural}`);
    if (resource !== undefined && special !== undefined) return special({ node, verb, resource, relations });
    return rules().some((rule) => ruleAllows(rule, attributes)) ? yes : no();
  };
}

const specials: ReadonlyMap<string, (asked: Asked) => Decision> = new Map([
  ["/secrets", read],
  ["/configmaps", read],
  [
    "/persistentvolumeclaims",
    (asked) => (asked.resource.subresource === "status" ? writeStatus(asked) : get(asked)),
  ],
  ["/persistentvolumes", get],
  ["/serviceaccounts", account],
  ["/nodes", ofNode],
  ["/pods", ofPod],
  ["coordination.k8s.io/leases", lease],
  ["storage.k8s.io/csinodes", csiNode],
  ["storage.k8s.io/volumeattachments", get],
  ["resource.k8s.io/resourceslices", slice],
]);

function read(asked: Asked): Decision {
  const { verb, resource } = asked;
  if (!["get", "list", "watch"].includes(verb)) return no("can only read resources of this type");
  if (resource.subresource !== "") return no("cannot read subresource");
  if (resource.namespace === "") return no("can only read namespaced object of this type");
  return related(asked);
}

function get(asked: Asked): Decision {
  if (asked.verb !== "get") return no("can only get individual resources of this type");
  if (asked.resource.subresource !== "") return no("cannot get subresource");
  return related(asked);
}

function writeStatus(asked: Asked): Decision {
  if (asked.verb !== "update" && asked.verb !== "patch") return no("can only get/update/patch this type");
  return related(asked);
}

function related({ node, resource, relations }: Asked): Decision {
  if (resource.name === "") return no("No Object name found");
  return relations.has(node, resource) ? yes : no(unrelated(node));
}

function unrelated(node: string): string {
  return `no relationship found between node '${node}' and this object`;
}

function account(asked: Asked): Decision {
  const { verb, resource, node, relations } = asked;
  if (verb === "get" && resource.subresource === "") return read(asked);
  if (verb !== "create" || resource.name === "")
    return no("can only create tokens for individual service accounts");
  if (resource.subresource !== "token") return no("can only create token subresource of serviceaccount");
  return relations.has(node, resource) ? yes : no(unrelated(node));
}

function lease({ verb, resource, node }: Asked): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(verb))
    return no("can only get, create, update, patch, or delete a node lease");
  if (resource.namespace !== "kube-node-lease")
    return no('can only access leases in the "kube-node-lease" system namespace');
  if (verb !== "create" && resource.name !== node)
    return no("can only access node lease with the same name as the requesting node");
  return yes;
}

function csiNode({ verb, resource, node }: Asked): Decision {
  if (!["get", "create", "update", "patch", "delete"].includes(verb))
    return no("can only get, create, update, patch, or delete a CSINode");
  if (resource.subresource !== "") return no("cannot authorize CSINode subresources");
  if (verb !== "create" && resource.name !== node)
    return no("can only access CSINode with the same name as the requesting node");
  return yes;
}

function slice(asked: Asked): Decision {
  const { verb, resource, node } = asked;
  if (resource.subresource !== "") return no("cannot authorize ResourceSlice subresources");
  if (verb === "create") return yes;
  if (["get", "update", "patch", "delete"].includes(verb)) return related(asked);
  const selector = resource.fieldSelector ?? "";
  const chosen = selector === "" ? undefined : exactFieldOf(parseFieldSelector(selector), "spec.nodeName");
  return chosen === node
    ? yes
    : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
}

function ofNode({ verb, resource: { subresource, name }, node }: Asked): Decision {
  if (subresource === "status") return verb === "update" || verb === "patch" ? yes : no();
  if (subresource !== "") return no();
  if (["create", "update", "patch"].includes(verb)) return yes;
  if (!["get", "list", "watch"].includes(verb)) return no();
  if (name === node) return yes;
  return no(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function ofPod(asked: Asked): Decision {
  const { verb, resource, node } = asked;
  switch (resource.subresource) {
    case "":
      if (verb === "create" || verb === "delete") return yes;
      if (verb === "get") return get(asked);
      if (verb !== "list" && verb !== "watch") return no();
      if (selectedNode(resource) === node) return yes;
      if (resource.name !== "") return related(asked);
      return no("can only list/watch pods with spec.nodeName field selector");
    case "status":
      return verb === "update" || verb === "patch" ? yes : no();
    case "eviction":
      return verb === "create" ? yes : no();
    default:
      return no();
  }
}

function selectedNode({ fieldSelector = "" }: Resource): string | undefined {
  try {
    return exactFieldOf(parseFieldSelector(fieldSelector), "spec.nodeName");
  } catch {
    return undefined;
  }
}
