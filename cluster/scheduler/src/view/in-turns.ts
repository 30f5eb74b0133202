import type { NodeInfo } from "./node-info.ts";

/** One node of each zone in turns, so that those which are looked at first are not all of the same. */
export function inTurns(nodes: readonly NodeInfo[]): readonly NodeInfo[] {
  const zones = [...Map.groupBy(nodes, zoneOf).values()];
  if (zones.length < 2) return nodes;
  const ordered: NodeInfo[] = [];
  for (let turn = 0; ordered.length < nodes.length; turn++) {
    for (const zone of zones) {
      const node = zone[turn];
      if (node !== undefined) ordered.push(node);
    }
  }
  return ordered;
}

function zoneOf({ labels }: NodeInfo): string {
  return `${labels["topology.kubernetes.io/region"] ?? ""}/${labels["topology.kubernetes.io/zone"] ?? ""}`;
}
