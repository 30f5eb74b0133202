import { Pace } from "./pace.ts";

/** Nodes that wait for a taint, in the order in which they came; each zone has a pace of its own. */
export class TaintQueue {
  readonly #rate: number;
  readonly #zoneOf = new Map<string, string>();
  readonly #paces = new Map<string, Pace>();

  /** The rate of zones of which nothing else was said: nodes a second. */
  constructor(rate: number) {
    this.#rate = rate;
  }

  add(node: string, zone: string): void {
    if (this.#zoneOf.get(node) !== zone) this.#zoneOf.set(node, zone);
  }

  remove(node: string): void {
    this.#zoneOf.delete(node);
  }

  changeRate(zone: string, rate: number, now: number): void {
    this.#paceOf(zone).change(rate, now);
  }

  /** Forgets how other zones were. */
  keepZones(zones: ReadonlyMap<string, unknown>): void {
    for (const zone of this.#paces.keys()) if (!zones.has(zone)) this.#paces.delete(zone);
  }

  /** Takes out those whose turn it is. */
  take(now: number): readonly string[] {
    const taken: string[] = [];
    for (const [node, zone] of this.#zoneOf) if (this.#paceOf(zone).take(now)) taken.push(node);
    for (const node of taken) this.#zoneOf.delete(node);
    return taken;
  }

  /** When the next one may be taken; Infinity when none waits. */
  get next(): number {
    let next = Infinity;
    for (const zone of new Set(this.#zoneOf.values())) next = Math.min(next, this.#paceOf(zone).next);
    return next;
  }

  #paceOf(zone: string): Pace {
    const pace = this.#paces.get(zone) ?? new Pace(this.#rate);
    this.#paces.set(zone, pace);
    return pace;
  }
}
