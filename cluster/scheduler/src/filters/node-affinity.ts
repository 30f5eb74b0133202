import { matchesNodeTerms, selectsNode, type DeepReadonly } from "@kedge/machinery";
import type { NodeSelectorTerm } from "@kedge/machinery/kinds/core/v1";
import type { Profile } from "../profile.ts";
import type { NodeInfo } from "../view/node-info.ts";
import { obstacle, type Filter } from "./types.ts";

const unselected = obstacle("NodeAffinity", "node(s) didn't match Pod's node affinity/selector", "lasting");
const unenforced = obstacle(
  "NodeAffinity",
  "node(s) didn't match scheduler-enforced node affinity",
  "lasting",
);

/** Nodes that the pod's node selector or required node affinity does not mean. */
export const nodeAffinity: Filter = {
  name: "NodeAffinity",
  prepare({ pod: { spec }, profile }) {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const { addedAffinity } = profile;
    if (required === undefined && spec.nodeSelector === undefined && addedAffinity === undefined)
      return undefined;
    const onlyNodes = namesIn(required?.nodeSelectorTerms ?? []);
    if (onlyNodes?.size === 0) return { rejected: "pod affinity terms conflict" };
    return {
      ...(onlyNodes !== undefined && { onlyNodes }),
      check(node) {
        if (!isEnforced(node, profile)) return unenforced;
        return selectsNode(spec, node) ? undefined : unselected;
      },
    };
  },
  events: ["node-added", "node-changed"],
  mayHelp(event, { pod: { spec } }, { profile }) {
    if (event.type !== "node-added" && event.type !== "node-changed") return false;
    if (!isEnforced(event.node, profile) || !selectsNode(spec, event.node)) return false;
    return event.type === "node-added" || !selectsNode(spec, event.previous);
  },
};

function isEnforced(node: NodeInfo, { addedAffinity }: Profile): boolean {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return added === undefined || matchesNodeTerms(added.nodeSelectorTerms, node);
}

/** The names that all terms together leave, when each of them names nodes: as those of a DaemonSet's pods do. */
function namesIn(terms: DeepReadonly<NodeSelectorTerm[]>): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (named.length === 0) return undefined;
    const [first, ...others] = named.map(({ values = [] }) => new Set(values));
    for (const name of first ?? []) if (others.every((each) => each.has(name))) all.add(name);
  }
  return all;
}
