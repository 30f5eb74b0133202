import type { Selector } from "@kedge/machinery";
import type { History } from "./plan/history.ts";

/** What is remembered of an autoscaler between two looks. */
export interface AutoscalerState {
  readonly uid: string;
  /** When to look next, in milliseconds of the monotonic clock. */
  due: number;
  /** The pods that its target was last seen to have. */
  selector?: Selector;
  /** Absent before its target was found. */
  history?: History;
}

/** What is remembered of all autoscalers, by namespace and name. */
export class AutoscalerStates {
  readonly #namespaces = new Map<string, Map<string, AutoscalerState>>();

  /** What is known of this one; of another object of the same name nothing is. */
  of(
    { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
    due: number,
  ) {
    const known = this.#namespaces.get(namespace) ?? new Map<string, AutoscalerState>();
    this.#namespaces.set(namespace, known);
    const state = known.get(name);
    if (state?.uid === uid) return state;
    const fresh: AutoscalerState = { uid, due };
    known.set(name, fresh);
    return fresh;
  }

  /** Forgets one that is gone. */
  forget(namespace: string, name: string): void {
    const known = this.#namespaces.get(namespace);
    known?.delete(name);
    if (known?.size === 0) this.#namespaces.delete(namespace);
  }

  /** What the autoscalers of a namespace select, by name. */
  selectors(namespace: string): ReadonlyMap<string, Selector | undefined> {
    const known = this.#namespaces.get(namespace) ?? new Map<string, AutoscalerState>();
    return new Map([...known].map(([name, { selector }]) => [name, selector]));
  }
}
