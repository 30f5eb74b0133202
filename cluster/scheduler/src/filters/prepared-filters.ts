import type { Cycle } from "../cycle.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { allFilters } from "./all-filters.ts";
import type { FilterName, Obstacle, PreparedFilter } from "./types.ts";

/** No node will do, by the word of one filter. */
export interface Rejected {
  readonly plugin: FilterName;
  readonly rejected: string;
}

/** Prepares all filters that can object to a pod. */
export function prepareFilters(cycle: Cycle): PreparedFilters | Rejected {
  const prepared: PreparedFilter[] = [];
  let onlyNodes: ReadonlySet<string> | undefined;
  for (const filter of allFilters) {
    const result = filter.prepare(cycle);
    if (result === undefined) continue;
    if ("rejected" in result) return { plugin: filter.name, rejected: result.rejected };
    prepared.push(result);
    onlyNodes ??= result.onlyNodes;
  }
  return new PreparedFilters(prepared, onlyNodes);
}

/** The filters of one pod. */
export class PreparedFilters {
  readonly #filters: readonly PreparedFilter[];
  /** Only these nodes can be meant. Undefined: all. */
  readonly onlyNodes: ReadonlySet<string> | undefined;

  constructor(filters: readonly PreparedFilter[], onlyNodes: ReadonlySet<string> | undefined) {
    this.#filters = filters;
    this.onlyNodes = onlyNodes;
  }

  /** The first obstacle; undefined: the pod can be there. */
  check(node: NodeInfo): Obstacle | undefined {
    const filters = this.#filters;
    for (let index = 0; index < filters.length; index++) {
      const obstacle = filters[index]?.check(node);
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }

  /**
   * The same, with the pods that are to come to the node and that the pod must not get in the way of. It must fit with
   * them, and without them: they may yet go elsewhere.
   */
  checkBeside(node: NodeInfo, coming: readonly PodInfo[]): Obstacle | undefined {
    if (coming.length === 0) return this.check(node);
    const [filters, crowded] = [this.clone(), node.clone()];
    for (const pod of coming) {
      crowded.add(pod);
      filters.change(pod, crowded, 1);
    }
    return filters.check(crowded) ?? this.check(node);
  }

  change(pod: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const filter of this.#filters) filter.change?.(pod, node, by);
  }

  clone(): PreparedFilters {
    return new PreparedFilters(
      this.#filters.map((filter) => filter.clone?.() ?? filter),
      this.onlyNodes,
    );
  }
}
