import type { Client, ObservedWrite } from "@kedge/client";
import {
  silentLogger,
  type Clock,
  type Kind,
  type Logger,
  type Random,
  type Scope,
  type StoredObject,
} from "@kedge/machinery";
import { kindName, resourceName } from "./kind-name.ts";
import { Moments } from "./object-cache.ts";
import { ObjectInformer } from "./object-informer.ts";
import { promised } from "./stored-view.ts";
import type { FailingWatch, Informer, InformerOptions, Informers } from "./types.ts";

/** What the informers of a process need. */
export interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  /** Look only at these namespaces, with a watch for each. Absent: all of them, with one watch. */
  readonly namespaces?: readonly string[] | undefined;
}

/** The informers of a process. Kinds that several ask for are listed and watched once. */
export function createInformers(options: InformersOptions): Informers {
  return new InformerSet(options);
}

class InformerSet implements Informers {
  readonly #options: InformersOptions;
  readonly #informers = new Map<string, ObjectInformer>();
  readonly #managers = new Set<string>();
  readonly #moments = new Moments();
  #running: { readonly signal: AbortSignal; readonly runs: Set<Promise<void>> } | undefined;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  of<T, S extends Scope, Sub extends string>(
    kind: Kind<T, S, Sub>,
    options: InformerOptions = {},
  ): Informer<T, S> {
    const name = nameOf(kind, options);
    const informer =
      this.#informers.get(name) ?? this.#make(name, promised<Kind<StoredObject>>(kind), options);
    // What an informer of this kind holds is what the descriptor says of the wire.
    return promised<Informer<T, S>>(informer);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error("informers: run was called before; it runs once");
    const runs = new Set<Promise<void>>();
    this.#running = { signal, runs };
    for (const informer of this.#informers.values()) this.#start(informer);
    await aborted(signal);
    await Promise.all(runs);
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#informers.values(), (informer) => informer.synced(signal)));
  }

  unsynced(): readonly string[] {
    return [...this.#informers.values()].filter(({ isSynced }) => !isSynced).map(({ name }) => name);
  }

  failing(): readonly FailingWatch[] {
    return [...this.#informers.values()].flatMap((informer) => informer.failing());
  }

  keepFieldsOf(manager: string): void {
    this.#managers.add(manager);
  }

  seeWritesOf(client: Client): Client {
    return client.observed(() => {
      const began = this.#moments.last;
      return (write) => this.#wrote(write, began);
    });
  }

  #make(name: string, kind: Kind<StoredObject>, options: InformerOptions): ObjectInformer {
    const { client, clock, random, logger = silentLogger } = this.#options;
    const informer = new ObjectInformer({
      client,
      kind,
      options,
      namespaces: this.#namespacesOf(kind, options),
      managers: this.#managers,
      moments: this.#moments,
      clock,
      random,
      logger,
    });
    this.#informers.set(name, informer);
    this.#start(informer);
    return informer;
  }

  #namespacesOf(kind: Kind<StoredObject>, options: InformerOptions): readonly (string | undefined)[] {
    if (kind.scope === "Cluster") return [undefined];
    if (options.namespace !== undefined) return [options.namespace];
    return this.#options.namespaces ?? [undefined];
  }

  #start(informer: ObjectInformer): void {
    if (this.#running === undefined || this.#running.signal.aborted) return;
    const { signal, runs } = this.#running;
    const run = informer.run(signal).finally(() => runs.delete(run));
    runs.add(run);
  }

  #wrote(write: ObservedWrite, began: number): void {
    const resource = resourceName(write.kind);
    for (const informer of this.#informers.values()) {
      if (informer.resource === resource) informer.wrote(write, began);
    }
  }
}

function nameOf(kind: Pick<Kind<unknown>, "group" | "version" | "plural">, options: InformerOptions): string {
  const { namespace, labelSelector, fieldSelector, isOptional } = options;
  return JSON.stringify([kindName(kind), namespace, labelSelector, fieldSelector, isOptional]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
