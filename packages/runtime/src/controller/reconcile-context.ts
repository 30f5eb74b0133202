import type { Client } from "@kedge/client";
import { parseKey, type Kind, type Logger, type Scope } from "@kedge/machinery";
import { kindName } from "../informer/kind-name.ts";
import { promised } from "../informer/stored-view.ts";
import type { Cached, Informer, Reader } from "../informer/types.ts";
import type { WorkItem } from "../queue/types.ts";
import type { ChildApplier } from "./apply-child.ts";
import { logWrites } from "./log-write.ts";
import type { OwnedKind } from "./owns.ts";
import type { TakenNames } from "./taken-names.ts";
import type { ControllerHost, ReconcileContext } from "./types.ts";

/** The caches of one controller, by `kindName`. */
export type ControllerInformers = ReadonlyMap<string, Informer>;

/** What the runs of one controller have in common. */
export interface ContextOptions {
  readonly host: ControllerHost;
  readonly controller: string;
  readonly kind: Kind<unknown>;
  readonly informers: ControllerInformers;
  readonly children: ChildApplier;
  /** By `kindName`. */
  readonly owned: ReadonlyMap<string, OwnedKind>;
  readonly taken: TakenNames;
}

/** What one run is given. */
export function reconcileContext<T>(
  options: ContextOptions,
  item: WorkItem,
  run: { readonly signal: AbortSignal; readonly logger: Logger },
): ReconcileContext<T> {
  const { host, controller, kind, informers, children, owned, taken } = options;
  const { clock, random, events } = host;
  const { logger } = run;
  let client: Client | undefined;
  const clientOfRun = (): Client =>
    (client ??= host.client.observed(logWrites(logger, host.logWrites ?? "info")));
  const key = parseKey(item.key);
  const find = <K, S extends Scope, Sub extends string>(of: Kind<K, S, Sub>): Informer<K, S> | undefined =>
    promised<Informer<K, S> | undefined>(informers.get(kindName(of)));
  return {
    key,
    object: promised<Cached<T> | undefined>(informers.get(kindName(kind))?.get(key)),
    causes: item.causes,
    // A run that finds nothing to do needs neither.
    get signal() {
      return run.signal;
    },
    get client() {
      return clientOfRun();
    },
    clock,
    random,
    events,
    logger,
    read: (of) => find(of) ?? refuse(controller, of),
    apply: (of, desired, applyOptions) =>
      children.apply(of, desired, {
        ...applyOptions,
        informer: find(of),
        ownedKind: owned.get(kindName(of)),
        taken: (found) => taken.found(of, found, key),
        signal: run.signal,
        client: clientOfRun(),
      }),
  };
}

function refuse<K>(controller: string, kind: Kind<K>): Reader<K> {
  throw new Error(
    `controller ${controller}: read(${kind.kind}): this kind has no cache here; name it in for, owns or watches`,
  );
}
