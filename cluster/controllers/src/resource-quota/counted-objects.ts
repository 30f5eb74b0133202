import type { Client, DynamicObject, ServedKind } from "@kedge/client";
import type { Clock, ObjectKey } from "@kedge/machinery";
import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import { evaluatorOf, isTerminating, sameAmounts, type Evaluator } from "@kedge/machinery/quota";
import type { Informer, InformerEvent, Informers } from "@kedge/runtime";
import { servedKinds } from "../served-kinds.ts";
import type { CountedResource } from "./plan.ts";

/** Called with each quota that something less, or something else, is used of. */
export type OnChange = (quota: ObjectKey, reason: string) => void;

/** The objects that quotas count: of kinds that a quota has named, and of no others. */
export class CountedObjects {
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Informer<DynamicObject>>();
  readonly #listeners = new Set<OnChange>();

  constructor(informers: Informers, clock: Clock) {
    this.#informers = informers;
    this.#clock = clock;
  }

  /** The result ends it. */
  onChange(listener: OnChange): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The informers of these resources by their text; without those that are not served, or not read yet. */
  async ready(
    resources: readonly CountedResource[],
    client: Client,
  ): Promise<ReadonlyMap<string, Informer<DynamicObject>>> {
    if (resources.some((resource) => !this.#watched.has(resourceText(resource)))) {
      for (const kind of await servedKinds(client)) {
        const isWanted = resources.some(
          ({ group, plural }) => kind.group === group && kind.plural === plural,
        );
        if (isWanted) this.#watch(kind);
      }
    }
    return new Map(
      resources.flatMap((resource) => {
        const informer = this.#watched.get(resourceText(resource));
        return informer?.isSynced === true ? [[resourceText(resource), informer] as const] : [];
      }),
    );
  }

  #watch(kind: ServedKind): void {
    const name = resourceText(kind);
    const evaluator = evaluatorOf(kind);
    if (this.#watched.has(name) || evaluator === undefined) return;
    const informer = this.#informers.of(kind);
    this.#watched.set(name, informer);
    informer.onEvent((event) => this.#notice(event, { evaluator, name }));
  }

  #notice(
    event: InformerEvent<DynamicObject>,
    { evaluator, name }: { readonly evaluator: Evaluator; readonly name: string },
  ): void {
    const { namespace } = event.object.metadata;
    // Who is created was counted when he was let in.
    if (event.type === "added" || namespace === undefined) return;
    const quotas = this.#informers.of(ResourceQuota).list({ namespace });
    const concerned = quotas.filter(
      ({ spec }) => evaluator.matching(Object.keys(spec?.hard ?? {})).length > 0,
    );
    if (concerned.length === 0 || (event.type === "updated" && this.#usesTheSame(event, evaluator))) return;
    for (const { metadata } of concerned)
      for (const listener of this.#listeners) listener(metadata, `${name} ${event.type}`);
  }

  #usesTheSame(
    { object, previous }: Extract<InformerEvent<DynamicObject>, { type: "updated" }>,
    evaluator: Evaluator,
  ): boolean {
    if (!evaluator.updates) return true;
    const now = this.#clock.now();
    return (
      isTerminating(object) === isTerminating(previous) &&
      sameAmounts(evaluator.usage(object, now), evaluator.usage(previous, now))
    );
  }
}

/** `jobs.batch`, `pods`. */
export function resourceText({ group, plural }: CountedResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}
