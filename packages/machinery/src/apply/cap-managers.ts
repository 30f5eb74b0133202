import { emptySet, unionOf, type FieldSet } from "./field-set.ts";
import { secondsOf } from "./managed-fields.ts";
import { manager, type Manager, type Managers } from "./managers.ts";
import { compareText } from "../go/text-order.ts";

/** How many managers that update an object are told apart. */
const maxUpdateManagers = 10;

/** Puts the oldest of too many updaters together, those of each version as `ancient-changes`. */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update");
  let surplus = updaters.length - maxUpdateManagers;
  if (surplus <= 0) return managers;
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, Manager>();
  const parts = new Map<string, FieldSet[]>();
  for (const updater of updaters.toSorted(byAge)) {
    if (surplus <= 0) break;
    const { apiVersion } = updater;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, updater);
      continue;
    }
    const identity = { name: "ancient-changes", operation: "Update", apiVersion, subresource: "" } as const;
    const empty = manager(identity, first.fields);
    const bucket = capped.get(empty.id) ?? empty;
    if (!capped.has(empty.id)) capped.delete(first.id);
    const fields = parts.get(bucket.id) ?? [bucket.fields];
    fields.push(updater.fields);
    parts.set(bucket.id, fields);
    // The time of the younger one: that is when these fields were last changed.
    capped.set(bucket.id, { ...bucket, fields: emptySet, time: updater.time });
    if (updater.id === bucket.id) parts.delete(updater.id);
    capped.delete(updater.id);
    surplus--;
  }
  for (const [id, fields] of parts) {
    const bucket = capped.get(id);
    if (bucket !== undefined) capped.set(id, { ...bucket, fields: unionOf(fields) });
  }
  return capped;
}

function byAge(a: Manager, b: Manager): number {
  return secondsOf(a.time) - secondsOf(b.time) || compareText(a.id, b.id);
}
