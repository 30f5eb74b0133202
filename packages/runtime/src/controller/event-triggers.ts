import {
  controllerOf,
  keyOf,
  keyToString,
  parseApiVersion,
  type Kind,
  type ObjectKey,
  type StoredObject,
} from "@kedge/machinery";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { InformerEvent } from "../informer/types.ts";
import type { Priority, Queue } from "../queue/types.ts";
import { isSpecChange, matters } from "./matters.ts";
import type { TakenNames } from "./taken-names.ts";
import type { ControllerHost, Watches } from "./types.ts";

type Event = InformerEvent<StoredObject>;

/** What a change of an informer makes a controller look at. */
export type EventTrigger = (event: Event) => void;

/** Changes of the objects themselves. */
export function onOwnChange(queue: Queue, kind: Kind<unknown>, when = matters): EventTrigger {
  return (event) => {
    const previous = previousOf(event);
    if (event.type !== "deleted" && !when(event.object, previous)) return;
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

/** Changes of an object that stood in the way of a child: its name may be free, or its consent given. */
export function onTakenChange(queue: Queue, taken: TakenNames, kind: Kind<unknown>): EventTrigger {
  return (event) => {
    const key = taken.wantedBy(kind, event.object);
    if (key !== undefined) add(queue, key, event, { source: kind.kind, priority: "child-change" });
  };
}

/** Changes of anything else: whom they concern is the controller's to say. */
export function onWatchedChange(queue: Queue, watched: Watches, host: ControllerHost): EventTrigger {
  const map = promised<MapAny>(watched.map);
  return (event) => {
    for (const key of map(event.object, previousOf(event), host)) {
      add(queue, key, event, { source: watched.kind.kind, priority: "child-change" });
    }
  };
}

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
