import type { Kind } from "@kedge/machinery";
import type { ObjectReader, StoredApiObject } from "../../registry/types.ts";

/** A policy with its bindings. */
export interface Bound<P, B> {
  readonly policy: P;
  /** By their names. */
  readonly bindings: readonly B[];
}

/** How objects become what requests ask for. */
export interface PolicyForms<P, B> {
  readonly policyKind: Kind;
  readonly bindingKind: Kind;
  readonly policyOf: (object: StoredApiObject) => P;
  readonly bindingOf: (object: StoredApiObject) => B & { readonly policyName: string };
}

/** All policies of a kind that are bound, by their names. It is as new as every answered write. */
export class PolicyIndex<P, B> {
  readonly #objects: ObjectReader;
  readonly #forms: PolicyForms<P, B>;
  readonly #policies = new Map<string, P>();
  readonly #bindings = new Map<string, B & { readonly policyName: string }>();
  #bound: readonly Bound<P, B>[] = [];
  #stops: readonly (() => void)[] | undefined;

  constructor(objects: ObjectReader, forms: PolicyForms<P, B>) {
    this.#objects = objects;
    this.#forms = forms;
  }

  /** Those that have at least one binding. */
  get bound(): readonly Bound<P, B>[] {
    return this.#bound;
  }

  /** Begins to follow policies and bindings. Until then there are none. */
  start(): void {
    const { policyKind, bindingKind, policyOf, bindingOf } = this.#forms;
    this.#stops ??= [
      this.#follow(policyKind, this.#policies, policyOf),
      this.#follow(bindingKind, this.#bindings, bindingOf),
    ];
    this.#join();
  }

  stop(): void {
    for (const stop of this.#stops ?? []) stop();
    this.#stops = undefined;
  }

  #follow<T>(kind: Kind, known: Map<string, T>, formOf: (object: StoredApiObject) => T): () => void {
    const resource = this.#objects.registry.byKind(kind.group, kind.kind, kind.version);
    if (resource === undefined) return () => undefined;
    for (const object of this.#objects.list(resource)) known.set(object.metadata.name ?? "", formOf(object));
    return this.#objects.onChange(resource, (change) => {
      const name = change.object.metadata.name ?? "";
      if (change.type === "stored") known.set(name, formOf(change.object));
      else known.delete(name);
      this.#join();
    });
  }

  #join(): void {
    const bindings = [...this.#bindings].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    const byPolicy = Map.groupBy(bindings, ({ policyName }) => policyName);
    this.#bound = [...this.#policies]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, policy]) => {
        const own = byPolicy.get(name);
        return own === undefined ? [] : [{ policy, bindings: own }];
      });
  }
}
