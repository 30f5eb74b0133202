import {
  controllerOf,
  keyOf,
  keyToString,
  parseApiVersion,
  type Kind,
  type Logger,
  type ObjectKey,
  type StoredObject,
} from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { InformerEvent } from "../informer/types.ts";
import type { DelayingQueue, Priority, Queue } from "../queue/types.ts";
import { isSpecChange, matters } from "./matters.ts";
import type { ControllerHost, Watches } from "./types.ts";

type Event = InformerEvent<StoredObject>;

/** What a change of an informer makes a controller look at. */
export type EventTrigger = (event: Event) => void;

/** Changes of the objects themselves. When `when` throws, the change matters. */
export function onOwnChange(
  queue: Queue,
  {
    kind,
    when = matters,
    logger,
  }: { kind: Kind<unknown>; when?: typeof matters | undefined; logger: Logger },
): EventTrigger {
  const isMatter = (object: StoredView, previous: StoredView | undefined): boolean => {
    try {
      return when(object, previous);
    } catch (error) {
      logger.error("A predicate threw; the change counts", {
        kind: kind.kind,
        key: keyToString(keyOf(object)),
        error,
      });
      return true;
    }
  };
  return (event) => {
    const previous = previousOf(event);
    if (event.type !== "deleted" && !isMatter(event.object, previous)) return;
    const isSpec = previous === undefined || isSpecChange(event.object, previous);
    add(queue, keyOf(event.object), event, {
      source: kind.kind,
      priority: isSpec ? "spec-change" : "child-change",
    });
  };
}

/** Changes of children: whoever controls them, or did before, has a look. */
export function onChildChange(queue: Queue, owner: Kind<unknown>, child: Kind<unknown>): EventTrigger {
  return (event) => {
    for (const key of ownersOf(owner, [event.object, previousOf(event)])) {
      add(queue, key, event, { source: child.kind, priority: "child-change" });
    }
  };
}

/**
 * Changes of anything else: whom they concern is the controller's to say. When `map` throws, nobody knows: all objects of
 * the controller are looked at soon, once for all that threw meanwhile.
 */
export function onWatchedChange(
  queue: DelayingQueue,
  watched: Watches,
  { host, all }: { readonly host: ControllerHost; readonly all: () => readonly StoredView[] },
): EventTrigger {
  const map = promised<MapAny>(watched.map);
  const source = watched.kind.kind;
  let sweep = -Infinity;
  const lookAtAll = (event: Event, error: unknown): void => {
    const key = keyToString(keyOf(event.object));
    host.logger.error("A map function threw; all objects are looked at", { kind: source, key, error });
    const now = host.clock.monotonic();
    if (now < sweep) return;
    sweep = now + sweepMs;
    for (const object of all()) {
      const trigger = { priority: "resync", source: `${source} ${key}`, reason: "map threw" } as const;
      queue.addAfter(keyToString(keyOf(object)), sweepMs, trigger);
    }
  };
  return (event) => {
    let keys: readonly ObjectKey[];
    try {
      keys = map(event.object, previousOf(event), host);
    } catch (error) {
      lookAtAll(event, error);
      return;
    }
    for (const key of keys) add(queue, key, event, { source, priority: "child-change" });
  };
}

/** How long after a map function threw all objects are looked at. */
const sweepMs = 5000;

type MapAny = (
  object: StoredView,
  previous: StoredView | undefined,
  host: ControllerHost,
) => readonly ObjectKey[];

function previousOf(event: Event): StoredView | undefined {
  return event.type === "updated" ? event.previous : undefined;
}

function add(
  queue: Queue,
  key: ObjectKey,
  event: Event,
  { source, priority }: { readonly source: string; readonly priority: Priority },
): void {
  const isInitial = event.type === "added" && event.initial;
  queue.add(keyToString(key), {
    priority: isInitial ? "initial-list" : priority,
    source: `${source} ${keyToString(keyOf(event.object))}`,
    reason: event.type,
  });
}

/** A cluster-scoped owner may have children in namespaces; a namespaced one is in theirs. */
function ownersOf(owner: Kind<unknown>, children: readonly (StoredView | undefined)[]): readonly ObjectKey[] {
  const keys = new Map<string, ObjectKey>();
  for (const child of children) {
    const reference = child === undefined ? undefined : controllerOf(child);
    if (child === undefined || reference?.kind !== owner.kind) continue;
    if (parseApiVersion(reference.apiVersion).group !== owner.group) continue;
    const { namespace } = child.metadata;
    const key: ObjectKey =
      owner.scope === "Cluster" ? { name: reference.name } : { namespace, name: reference.name };
    keys.set(keyToString(key), key);
  }
  return [...keys.values()];
}
