import type { Cached, Informer, Informers } from "@kedge/runtime";
import type { Clock, Kind, Logger } from "@kedge/machinery";
import { ConfigMap, Secret } from "@kedge/machinery/kinds/core/v1";
import type { PodObjects } from "../volumes/types.ts";

/** What is needed to watch single objects. */
export interface WatchedObjectsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A set of informers for one object, so that it can be ended alone. */
  readonly createInformers: () => Informers;
  /** Ends all of them. */
  readonly signal: AbortSignal;
}

/** Config maps and secrets that pods of this node use. */
export interface WatchedObjects {
  of(namespace: string, onChange: () => void): PodObjects & Disposable;
}

/** Longer than this nobody waits for the first answer about an object. */
const firstAnswerMs = 30_000;

/**
 * Watches each object that a pod of this node uses, and no other: by name, because a node may not see the rest. A
 * watch ends with the last pod that uses it.
 */
export function watchObjects(options: WatchedObjectsOptions): WatchedObjects {
  const configMaps = new ObjectWatches(ConfigMap, options);
  const secrets = new ObjectWatches(Secret, options);
  return {
    of(namespace, onChange) {
      const user = { onChange };
      return {
        configMap: (name) => configMaps.get({ namespace, name }, user),
        secret: (name) => secrets.get({ namespace, name }, user),
        [Symbol.dispose]: () => {
          configMaps.release(user);
          secrets.release(user);
        },
      };
    },
  };
}

interface User {
  readonly onChange: () => void;
}

interface WatchedObject<T> {
  readonly informer: Informer<T, "Namespaced">;
  readonly users: Set<User>;
  readonly stop: AbortController;
}

class ObjectWatches<T> {
  readonly #kind: Kind<T, "Namespaced">;
  readonly #options: WatchedObjectsOptions;
  readonly #watched = new Map<string, WatchedObject<T>>();

  constructor(kind: Kind<T, "Namespaced">, options: WatchedObjectsOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  async get(
    key: { readonly namespace: string; readonly name: string },
    user: User,
  ): Promise<Cached<T> | undefined> {
    const name = `${key.namespace}/${key.name}`;
    const watched = this.#watched.get(name) ?? this.#watch(key);
    this.#watched.set(name, watched);
    watched.users.add(user);
    using deadline = this.#options.clock.deadline(firstAnswerMs, watched.stop.signal);
    await watched.informer.synced(deadline.signal);
    return watched.informer.get(key);
  }

  release(user: User): void {
    for (const [name, watched] of this.#watched) {
      if (!watched.users.delete(user) || watched.users.size > 0) continue;
      watched.stop.abort();
      this.#watched.delete(name);
    }
  }

  #watch(key: { readonly namespace: string; readonly name: string }): WatchedObject<T> {
    const { createInformers, signal, logger } = this.#options;
    const stop = new AbortController();
    const informers = createInformers();
    const informer = informers.of(this.#kind, {
      namespace: key.namespace,
      fieldSelector: `metadata.name=${key.name}`,
    });
    const users = new Set<User>();
    informer.onEvent((event) => {
      if (event.type === "added" && event.initial) return;
      for (const { onChange } of users) onChange();
    });
    informers.run(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => {
      logger.error("Cannot watch an object that a pod uses", { kind: this.#kind.kind, ...key, error });
    });
    return { informer, users, stop };
  }
}
