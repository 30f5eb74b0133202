import { labelOf } from "@kedge/machinery";
import type { NodeInfo } from "./node-info.ts";

/** Where nodes are found by their names, and how much each thing on them counts. */
export interface DomainNodes {
  readonly nodeOf: (name: string) => NodeInfo | undefined;
  readonly factor?: number;
}

/** How many of something there are in each domain: for each key of topology by the label's value. */
export class DomainCounts {
  readonly #counts: Map<string, Map<string, number>>;

  constructor(counts = new Map<string, Map<string, number>>()) {
    this.#counts = counts;
  }

  /** The keys of topology that anything was counted by. */
  get keys(): Iterable<string> {
    return this.#counts.keys();
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  of(key: string, domain: string): number {
    return this.#counts.get(key)?.get(domain) ?? 0;
  }

  /** Counts for many nodes at once: so many of each, times a factor. */
  addAll(key: string, byNode: ReadonlyMap<string, number>, { nodeOf, factor = 1 }: DomainNodes): void {
    const domains = this.#counts.get(key) ?? new Map<string, number>();
    for (const [name, count] of byNode) {
      const labels = nodeOf(name)?.labels;
      const domain = labels === undefined ? undefined : labelOf(labels, key);
      if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + factor * count);
    }
    if (domains.size > 0) this.#counts.set(key, domains);
  }

  /** The counts of one key, by the label's value. */
  by(key: string): ReadonlyMap<string, number> | undefined {
    return this.#counts.get(key);
  }

  /** Counts in the domain of a node; one that is not there, or lacks the label, is in none. */
  add(key: string, node: NodeInfo | undefined, by: number): void {
    const domain = node === undefined ? undefined : labelOf(node.labels, key);
    if (domain === undefined) return;
    const domains = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, domains);
    const count = (domains.get(domain) ?? 0) + by;
    if (count !== 0) domains.set(domain, count);
    else {
      domains.delete(domain);
      if (domains.size === 0) this.#counts.delete(key);
    }
  }

  clone(): DomainCounts {
    return new DomainCounts(new Map(Array.from(this.#counts, ([key, domains]) => [key, new Map(domains)])));
  }
}
